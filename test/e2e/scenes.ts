/** Pictures to lay an overlay over, as large as the page in which they are painted; as data URLs. */

/** A crowd under stage lights, near enough: bright and dark, coarse and fine, all colours. */
export function paintCrowd(): string {
  const canvas = document.createElement('canvas');
  canvas.width = innerWidth;
  canvas.height = innerHeight;
  const paint = canvas.getContext('2d')!;
  let seed = 20;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const sky = paint.createLinearGradient(0, 0, innerWidth, innerHeight);
  for (const [at, color] of [
    [0, '#1b2b4b'],
    [0.35, '#c96f4a'],
    [0.6, '#f3d9a4'],
    [1, '#23402f'],
  ] as const)
    sky.addColorStop(at, color);
  paint.fillStyle = sky;
  paint.fillRect(0, 0, innerWidth, innerHeight);
  for (let blob = 0; blob < 360; blob++) {
    const x = random() * innerWidth;
    const y = random() * innerHeight;
    const radius = (4 + random() ** 3 * 150) * (innerHeight / 1080);
    paint.filter = blob < 300 ? `blur(${Math.round((innerHeight / 1080) * (12 - blob / 30))}px)` : 'none';
    paint.globalAlpha = 0.15 + random() * 0.5;
    paint.fillStyle = `hsl(${random() * 360} ${10 + random() * 55}% ${15 + random() * 75}%)`;
    paint.beginPath();
    paint.ellipse(x, y, radius, radius * (0.6 + random() * 0.8), random() * 3, 0, 7);
    paint.fill();
  }
  return canvas.toDataURL();
}

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
