import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: {
    title: 'Sonraki oylama birazdan başlıyor',
    text: 'Burada kendiliğinden görünür. Bu sayfayı açık bırakın.',
  },
  reload: 'Görmek için bu sayfayı ara sıra yenileyin.',
  toVote: 'Süren oylamaya git',
  next: {
    title: 'Sonraki oylama başladı',
    text: 'Önce burayı bitirin ya da devam edin.',
    go: 'Sonraki oylamaya git',
  },
};
