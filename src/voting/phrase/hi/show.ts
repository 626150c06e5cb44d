import type { ShowPhrases } from '../en/show.ts';

export const show: ShowPhrases = {
  soon: { title: 'अगला मतदान जल्द शुरू होगा', text: 'वह यहाँ अपने आप दिखेगा। यह पेज खुला रखें।' },
  reload: 'उसे देखने के लिए बीच-बीच में यह पेज रीलोड करें।',
  toVote: 'अभी चल रहे मतदान पर जाएँ',
  next: { title: 'अगला मतदान शुरू हो गया है', text: 'पहले यहाँ पूरा करें, या आगे बढ़ें।', go: 'अगले मतदान पर जाएँ' },
};
