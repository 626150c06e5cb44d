/**
 * Yields a reply in parts until a signal ends it. Node 20 loses the abort of a reply that is being
 * read, once the garbage collector has run: the end of such a request needs more than the signal
 * that `fetch` has.
 *
 * @throws DOMException after the signal
 */
export async function* readParts({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  const cancel = () => void reader?.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  try {
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) yield part.value;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/** Reads a reply in bounded time and memory. @throws RangeError for more bytes, and as `readParts` */
export async function readWhole(response: Response, signal: AbortSignal, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of readParts(response, signal)) {
    bytes += part.length;
    if (bytes > maxBytes) throw new RangeError(`more than ${maxBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
