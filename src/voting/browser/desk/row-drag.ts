/** Moves rows of a list by their handles, with a mouse, a pen or a finger. The order itself is changed by whoever is told of the drop. */
export function dragRows(list: HTMLElement, onDrop: (id: string, place: number) => void): void {
  list.addEventListener('pointerdown', event => {
    const handle =
      event.target instanceof Element ? event.target.closest<HTMLElement>('[data-handle]') : null;
    const row = handle?.closest('li');
    if (!handle || !row || event.button !== 0) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    row.dataset['dragged'] = '';
    const move = ({ clientY }: PointerEvent) => mark(list, row, placeAt(list, row, clientY));
    const end = (last: PointerEvent) => {
      handle.removeEventListener('pointermove', move);
      delete row.dataset['dragged'];
      mark(list, row, undefined);
      const place = placeAt(list, row, last.clientY);
      if (last.type === 'pointerup' && place !== rowsOf(list).indexOf(row))
        onDrop(row.dataset['poll'] ?? '', place);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), {
      once: true,
    });
    handle.addEventListener('pointerup', end, { once: true });
    handle.addEventListener('pointercancel', end, { once: true });
  });
}

/** Where the row would be, among all, if it were dropped at this height. */
function placeAt(list: HTMLElement, row: HTMLElement, clientY: number): number {
  const others = rowsOf(list).filter(other => other !== row);
  const place = others.findIndex(other => {
    const { top, height } = other.getBoundingClientRect();
    return clientY < top + height / 2;
  });
  return place < 0 ? others.length : place;
}

/** A line where the row would go. */
function mark(list: HTMLElement, row: HTMLElement, place: number | undefined): void {
  const others = rowsOf(list).filter(other => other !== row);
  for (const [index, other] of others.entries()) {
    other.toggleAttribute('data-drop-before', index === place);
    other.toggleAttribute('data-drop-after', place === others.length && index === others.length - 1);
  }
}

function rowsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(':scope > li')];
}
