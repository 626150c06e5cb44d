import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: { title: '下一场投票即将开始', text: '它会自动出现在这里，请保持页面打开。' },
  reload: '请不时刷新此页面查看。',
  toVote: '前往正在进行的投票',
  next: { title: '下一场投票已开始', text: '可以先完成这里，或直接前往。', go: '前往下一场投票' },
};
