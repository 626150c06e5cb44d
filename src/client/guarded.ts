/** Calls somebody else's code: its error is reported as uncaught, and what called it goes on. */
export function guarded<T>(callback: ((value: T) => void) | undefined, value: T): void {
  try {
    callback?.(value);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
