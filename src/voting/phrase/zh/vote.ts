import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = '你的选择仍然保留。';

export const vote: VotePhrases = {
  start: {
    lead: '提一个问题，分享链接，看答案不断到来。',
    preview: '投票并实时查看结果。',
    create: '创建投票',
    publicPolls: '公开投票',
    none: '还没有公开投票。第一个可以是你的。',
    ended: '投票已结束',
    upcoming: '投票尚未开始',
    open: '进行中',
    openUntil: <T>(moment: T): Parts<T> => ['开放至 ', moment],
  },
  preview: '投票并实时查看结果。',
  chooseOne: '请选择一项',
  chooseSeveral: '请选择一项或多项',
  vote: '投票',
  yourName: '你的名字',
  nameHint: '投票的创建者会在你的票旁看到它。',
  needsScript: '投票需要 JavaScript 来确认你是真人。请允许此网站使用并刷新页面。',
  peek: '不投票，直接看结果',
  counted: {
    title: '你的票已计入',
    text: <T>(choices: T): Parts<T> => ['你选择了：', choices, '。'],
  },
  upcoming: { title: '投票尚未开始', text: '开始后你就可以在这里投票。' },
  ended: { title: '投票已结束', text: '此投票不再接受投票。' },
  signIn: {
    missing: '此投票仅限已登录的人，而本站未设置登录。只有网站管理者可以更改。',
    needed: '此投票仅限已登录的人。你的账号不会与票一起保存。',
    begin: (provider: string) => `使用 ${provider} 登录`,
    done: (provider: string) => `你已使用 ${provider} 登录。`,
    end: '退出登录',
  },
  unreachable: {
    title: '暂时无法读取票数',
    text: '还不知道你的票是否已计入。请继续按按钮直到得知：不会重复计票。',
  },
  comments: {
    title: '评论',
    yours: '你的评论',
    name: '名字',
    optional: '（可不填）',
    send: '发送评论',
    none: '还没有评论。',
    notSent: '你的评论未发送',
    voteFirst: '只有参与了本次投票的人才能评论。',
    foreignForm: '此表单来自另一次访问。请从这里再发送一次。',
    noText: '还是空的。写点什么再发送。',
    longText: (most: string) => `超过 ${most} 个字。请缩短后再发送。`,
    badText: '含有无法显示的字符。请修改后再发送。',
    badName: (most: string) => `这个名字不能用：最多 ${most} 个字，不能含控制字符。请修改后再发送。`,
  },
  vpnSeen: '你似乎在使用 VPN。请先关闭再投票。',
  notCounted: {
    duplicate_voter: {
      title: '你已经投过票了',
      text: '你的第一票有效并保持不变。这一票未计入。',
    },
    duplicate_account: {
      title: '此账号已经投过票',
      text: '你账号的第一票有效并保持不变。这一票未计入。',
    },
    duplicate_address: {
      title: '你的网络已经投过票',
      text: '此投票每个网络只计一票，因此这一票未计入。如果是别人投的，请换一个网络，例如用移动数据。',
    },
    poll_closed: {
      title: '投票已结束',
      text: '你的票在结束后才到，未计入。',
    },
    poll_not_open: {
      title: '投票尚未开始',
      text: `你的票在开始前就到，未计入。开始后请按“投票”。${KEPT}`,
    },
    proof_used: {
      title: '该验证已被使用',
      text: `这次未计入。正在进行新的验证：请再按“投票”。${KEPT}`,
    },
    no_answer: {
      title: '请先选择',
      text: '还没有计入。请选择，然后按“投票”。',
    },
    too_many_answers: {
      title: '只能选择一项',
      text: '此投票每人只能选一项。还没有计入。请选一项，然后按“投票”。',
    },
    unknown_answer: {
      title: '此投票没有这个选项',
      text: '还没有计入。请从下面的选项中选择，然后按“投票”。',
    },
    name_missing: {
      title: '缺少你的名字',
      text: `此投票需要名字。还没有计入：请填写后按“投票”。${KEPT}`,
    },
    name_unusable: {
      title: '这个名字不能用',
      text: `名字最多 80 个字，不能含控制字符。还没有计入：请修改后按“投票”。${KEPT}`,
    },
    cookie_missing: {
      title: '浏览器没有发送我们的 Cookie',
      text: `没有它就无法区分投票者，因此没有计入。请允许此网站使用 Cookie 后按“投票”。${KEPT}`,
    },
    form_foreign: {
      title: '此表单来自另一次访问',
      text: `还没有计入。这是新表单：请再按“投票”。${KEPT}`,
    },
    vpn_refused: {
      title: '此投票不接受 VPN 投票',
      text: `你的票未计入。请关闭 VPN 后再按“投票”。${KEPT}`,
    },
    signed_out: {
      title: '登录后投票',
      text: '你的票还没有计入。请登录、选择，然后按“投票”。',
    },
    sign_in_missing: {
      title: '这里未设置登录',
      text: '此投票仅限已登录的人，而本站还没有登录。你的票未计入。只有网站管理者可以更改。',
    },
    check_missing: {
      title: '真人验证没有运行',
      text: `它需要 JavaScript，这次未计入。请等验证完成后再按“投票”。${KEPT}`,
    },
    check_expired: {
      title: '此页面打开太久了',
      text: `真人验证已过期。请再按“投票”；不会重复计票。${KEPT}`,
    },
    check_failed: {
      title: '真人验证失败',
      text: `这次未计入。正在进行新的验证：请再按“投票”。${KEPT}`,
    },
    check_unreachable: {
      title: '暂时无法进行真人验证',
      text: `这次未计入。请稍等后再按“投票”；不会重复计票。${KEPT}`,
    },
  },
};
