/** Pictures to lay an overlay over, as large as the page in which they are painted; as data URLs. */

/** Evening light in a few flat bands: a photo would make files ten times as large. */
export function paintDusk(): string {
  const canvas = document.createElement('canvas');
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  const paint = canvas.getContext('2d')!;
  const bands = ['#1d2440', '#2f2f55', '#4f3b66', '#7b4a6b', '#a95e66', '#d17f5f', '#eaa765', '#f6cf84'];
  for (const [at, color] of bands.entries()) {
    paint.fillStyle = color;
    paint.beginPath();
    paint.arc(innerWidth * 0.72, innerHeight * 1.05, innerWidth * (1.05 - at * 0.13), 0, 7);
    if (at === 0) paint.rect(0, 0, innerWidth, innerHeight);
    paint.fill();
  }
  return canvas.toDataURL();
}
