import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: '次の投票はまもなく始まります',
    text: 'このページに自動で表示されます。開いたままお待ちください。',
  },
  reload: 'ときどきこのページを再読み込みしてください。',
  toVote: '現在の投票へ',
  next: {
    title: '次の投票が始まりました',
    text: '先にこちらを済ませるか、次へお進みください。',
    go: '次の投票へ進む',
  },
};
