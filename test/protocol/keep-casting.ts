import type { Subject } from './target.ts';

/** Casts one ballot after the other until told to stop, or until the poll takes no more. */
export function keepCasting(
  subject: Subject,
  id: string,
): { acknowledged(): number; stop(): Promise<number> } {
  let acknowledged = 0;
  let going = true;
  const casting = (async () => {
    while (going) {
      const isOpen = await subject.cast(id).then(
        () => true,
        (error: Error) => {
          if (!error.message.includes('poll_closed')) throw error;
          return false;
        },
      );
      if (!isOpen) return;
      acknowledged += 1;
    }
  })();
  return {
    acknowledged: () => acknowledged,
    async stop() {
      going = false;
      await casting;
      return acknowledged;
    },
  };
}
