import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: '分享节目',
  audience: '给观众',
  hint: '整晚只需一个码：它始终通向正在播出的投票。',
  print: '打印二维码',
  image: (format: string) => `${format} 格式的二维码`,
  screens: '给屏幕',
  code: '仅显示二维码的叠加层',
  desk: '给你',
  deskLink: '你的控制台',
  deskHint: '使用节目的密钥打开。',
  toDesk: '打开控制台',
  scan: '扫码投票',
};
