/** Makes a value anew only for other arguments than those of the newest one. It must always follow from them. */
export function keepNewest<Arguments extends readonly unknown[], Value>(
  make: (...of: Arguments) => Value,
): (...of: Arguments) => Value {
  let newest: { readonly of: Arguments; readonly value: Value } | undefined;
  return (...of) => {
    if (!newest?.of.every((one, index) => one === of[index])) newest = { of, value: make(...of) };
    return newest.value;
  };
}
