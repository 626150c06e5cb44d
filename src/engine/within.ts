/**
 * Settles as the promise does, or resolves to `late` after a time. What the promise stands for goes
 * on, and the process stays alive until then.
 */
export async function within<T, Late = undefined>(
  ms: number,
  promise: Promise<T>,
  late = undefined as Late,
): Promise<T | Late> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<Late>(resolve => {
    timer = setTimeout(resolve, ms, late);
  });
  return Promise.race([promise, tooLate]).finally(() => clearTimeout(timer));
}
