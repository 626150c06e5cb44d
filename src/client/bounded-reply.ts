/** Beyond the largest file of a relay that overlays and widgets load: a part of a font. */
const MAX_BYTES = 1_000_000;
const TIMEOUT_MS = 10_000;

export interface BoundedReply {
  readonly ok: boolean;
  readonly status: number;
  readonly body: Blob;
}

/** Fetches a whole reply in bounded time and memory. Rejects for a longer, slower or failed one. */
export async function fetchBounded(url: string | URL, signal?: AbortSignal): Promise<BoundedReply> {
  const abort = new AbortController();
  const end = () => abort.abort();
  signal?.addEventListener('abort', end);
  const timer = setTimeout(end, TIMEOUT_MS);
  try {
    const { ok, status, body } = await fetch(url, { signal: abort.signal });
    const chunks: BlobPart[] = [];
    let bytes = 0;
    const reader = body?.getReader();
    for (let chunk = await reader?.read(); chunk?.value; chunk = await reader?.read()) {
      bytes += chunk.value.length;
      if (bytes > MAX_BYTES) throw new RangeError('the reply is too large');
      chunks.push(chunk.value);
    }
    return { ok, status, body: new Blob(chunks) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
    // Ends what is not read to its end.
    end();
  }
}
