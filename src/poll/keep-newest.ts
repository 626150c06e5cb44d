/** Keeps the newest value, and makes another one for other arguments. The value must depend on nothing else. */
export function keepNewest<Arguments extends readonly unknown[], Value>(
  make: (...of: Arguments) => Value,
): (...of: Arguments) => Value {
  let newest: { readonly of: Arguments; readonly value: Value } | undefined;
  return (...of) => {
    if (!newest?.of.every((one, index) => one === of[index])) newest = { of, value: make(...of) };
    return newest.value;
  };
}
