/** Returns what a graphic shows. Runs in the page. */
export function looksLike() {
  const host = document.querySelector('#graphic');
  const stages = [...(host?.shadowRoot ?? document).querySelectorAll('.tallycast')];
  const stage = stages.at(-1);
  if (!stage) return { stages: 0 };
  const { opacity } = getComputedStyle(stage);
  return {
    stages: stages.length,
    title: stage.querySelector('.title')?.textContent,
    off: stage.classList.contains('off'),
    opacity,
    /** An animation is running. */
    moving: ['leaving', 'entering', 'arriving'].some(name => stage.classList.contains(name)),
    /** Answers without figures. */
    locked: stage.querySelector('.panel.blank') !== null,
    figures: [...stage.querySelectorAll('.row .percent')].map(figure => figure.textContent),
    /** Delay of each row in an entrance, from the first place to the last. */
    delays: [...stage.querySelectorAll<HTMLElement>('.row')].map(row =>
      Number.parseFloat(row.style.getPropertyValue('--delay')),
    ),
  };
}
