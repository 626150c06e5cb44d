/** Pictures such as video brings, from all black to a noise of single pixels: name and recipe. */
export const videoStills = [
  'black',
  'white',
  'grey',
  'sky',
  'pitch',
  'spotlights',
  'crowd',
  'confetti',
  'chessboard',
  'captions',
  'fast pan',
  'flames',
] as const;

export type VideoStill = (typeof videoStills)[number];

/** Paints a still as the page's background. Runs in the page. */
export function paintStill(name: VideoStill): void {
  const canvas = document.createElement('canvas');
  const [width, height] = [innerWidth, innerHeight];
  Object.assign(canvas, { width, height });
  const paint = canvas.getContext('2d')!;
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const fill = (color: string) => {
    paint.fillStyle = color;
    paint.fillRect(0, 0, width, height);
  };
  const blend = (...colors: string[]) => {
    const gradient = paint.createLinearGradient(0, 0, width / 3, height);
    for (const [at, color] of colors.entries()) gradient.addColorStop(at / (colors.length - 1), color);
    paint.fillStyle = gradient;
    paint.fillRect(0, 0, width, height);
  };
  const scatter = (count: number, size: number, stretch: number, color: () => string) => {
    for (let at = 0; at < count; at++) {
      paint.fillStyle = color();
      const side = size * (0.3 + random());
      paint.fillRect(random() * width - side, random() * height, side * stretch, side);
    }
  };
  const anyColor = () => `hsl(${random() * 360} 90% ${random() * 100}%)`;
  const recipes: Record<VideoStill, () => void> = {
    black: () => fill('#000'),
    white: () => fill('#fff'),
    grey: () => fill('#777'),
    sky: () => blend('#2f6fd0', '#cfe6ff', '#ffffff', '#ffe9a8'),
    pitch() {
      for (let x = 0; x < width; x += 120) {
        paint.fillStyle = x % 240 === 0 ? '#3f9b3a' : '#57b84e';
        paint.fillRect(x, 0, 120, height);
      }
      scatter(40, 8, 60, () => '#fff');
    },
    spotlights() {
      fill('#05050a');
      for (let at = 0; at < 30; at++) {
        const [x, y] = [random() * width, random() * height];
        const light = paint.createRadialGradient(x, y, 0, x, y, 260);
        light.addColorStop(0, '#fffbe0');
        light.addColorStop(1, '#fffbe000');
        paint.fillStyle = light;
        paint.fillRect(x - 260, y - 260, 520, 520);
      }
    },
    crowd() {
      fill('#30323c');
      scatter(26_000, 12, 1, () => `hsl(${15 + random() * 25} 45% ${random() * 95}%)`);
    },
    confetti() {
      fill('#8a8fa3');
      scatter(9_000, 22, 1.6, anyColor);
    },
    chessboard() {
      for (let x = 0; x < width; x += 3)
        for (let y = 0; y < height; y += 3) {
          paint.fillStyle = (x + y) % 2 === 0 ? '#fff' : '#000';
          paint.fillRect(x, y, 3, 3);
        }
    },
    captions() {
      fill('#e8e8e8');
      paint.font = '700 34px sans-serif';
      for (let y = 0; y < height; y += 36) {
        paint.fillStyle = y % 72 === 0 ? '#000' : '#fff';
        paint.fillText('ANOTHER TEXT OF ANOTHER GRAPHIC '.repeat(6), -random() * 300, y);
      }
    },
    'fast pan'() {
      fill('#556');
      scatter(5_000, 10, 40, anyColor);
    },
    flames() {
      blend('#ffd34d', '#ff7a1a', '#c21807', '#2b0a05');
      scatter(3_000, 26, 0.5, () => `hsl(${random() * 50} 100% ${35 + random() * 60}%)`);
    },
  };
  recipes[name]();
  document.body.style.background = `url(${canvas.toDataURL('image/jpeg', 0.9)})`;
}
