import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: '番組を共有',
  audience: '視聴者向け',
  hint: '一晩中使えるコードです。いつでも放送中の投票につながります。',
  print: 'コードを印刷',
  image: (format: string) => `${format}形式のコード`,
  screens: '画面向け',
  code: 'コードだけのオーバーレイ',
  desk: 'あなた専用',
  deskLink: '進行デスク',
  deskHint: '番組のキーで開きます。',
  toDesk: '進行デスクを開く',
  scan: 'スキャンして投票',
};
