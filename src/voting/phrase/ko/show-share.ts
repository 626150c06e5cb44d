import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: '쇼 공유',
  audience: '관객용',
  hint: '저녁 내내 코드 하나로 충분해요. 언제나 방송 중인 투표로 연결됩니다.',
  print: '코드 인쇄',
  image: (format: string) => `${format} 코드`,
  screens: '화면용',
  code: '코드만 있는 오버레이',
  desk: '진행자용',
  deskLink: '진행 데스크',
  deskHint: '쇼의 키로 열려요.',
  toDesk: '진행 데스크 열기',
  scan: '스캔하고 투표하세요',
};
