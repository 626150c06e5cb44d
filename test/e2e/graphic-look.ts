/** Returns what a graphic shows. Runs in the page. */
export async function looksLike() {
  const root = document.querySelector('#graphic')?.shadowRoot ?? document;
  const stages = [...root.querySelectorAll<HTMLElement>('.tallycast')];
  const stage = stages.at(-1);
  if (!stage) return { stages: 0 };
  const frame = () => new Promise(done => requestAnimationFrame(done));
  const canvas = stage.querySelector('canvas')!;
  const text = (name: string) => [...stage.querySelectorAll(name)].map(({ textContent }) => textContent);
  await frame();
  const before = canvas.toDataURL();
  await frame();
  await frame();
  const { width, height } = canvas;
  const pixels = width > 0 ? canvas.getContext('2d')!.getImageData(0, 0, width, height).data : [];
  return {
    stages: stages.length,
    title: text('.title')[0],
    on: stage.dataset['on'] === 'true',
    /** Nothing is drawn. */
    blank: pixels.every((value, at) => at % 4 !== 3 || value === 0),
    /** One frame differs from the next. */
    moving: canvas.toDataURL() !== before,
    /** Answers without figures. */
    locked: text('.row').length > 0 && text('.percent').length === 0,
    figures: text('.percent'),
  };
}
