import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: { title: '다음 투표가 곧 시작됩니다', text: '여기에 저절로 나타납니다. 이 페이지를 열어 두세요.' },
  reload: '보려면 이 페이지를 가끔 새로 고치세요.',
  toVote: '진행 중인 투표로 이동',
  next: {
    title: '다음 투표가 시작되었습니다',
    text: '여기를 먼저 마치거나 다음으로 넘어가세요.',
    go: '다음 투표로 이동',
  },
};
