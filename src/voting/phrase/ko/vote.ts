import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = '선택한 내용은 그대로 있습니다.';

export const vote: VotePhrases = {
  start: {
    lead: '질문을 만들고, 링크를 공유하고, 답변이 들어오는 것을 지켜보세요.',
    preview: '투표하고 결과를 실시간으로 보세요.',
    create: '투표 만들기',
    publicPolls: '공개 투표',
    none: '아직 공개 투표가 없습니다. 첫 투표를 만들어 보세요.',
    ended: '투표가 종료되었습니다',
    upcoming: '투표가 아직 시작되지 않았습니다',
    open: '진행 중',
    openUntil: <T>(moment: T): Parts<T> => [moment, '까지 진행'],
  },
  preview: '투표하고 결과를 실시간으로 보세요.',
  chooseOne: '하나를 선택하세요',
  chooseSeveral: '하나 이상 선택하세요',
  vote: '투표하기',
  yourName: '이름',
  nameHint: '투표를 만든 사람이 표와 함께 볼 수 있습니다.',
  needsScript: '사람인지 확인하려면 JavaScript가 필요합니다. 이 사이트에서 허용하고 페이지를 새로 고치세요.',
  peek: '투표하지 않고 결과 보기',
  counted: {
    title: '투표가 집계되었습니다',
    text: <T>(choices: T): Parts<T> => ['선택: ', choices, '.'],
  },
  upcoming: { title: '투표가 아직 시작되지 않았습니다', text: '시작되면 여기서 투표할 수 있습니다.' },
  ended: { title: '투표가 종료되었습니다', text: '이 투표는 더 이상 표를 받지 않습니다.' },
  signIn: {
    missing:
      '로그인한 사람만 투표할 수 있지만 이 사이트에는 로그인이 설정되어 있지 않습니다. 사이트 운영자만 바꿀 수 있습니다.',
    needed: '로그인한 사람만 투표할 수 있습니다. 계정은 표와 함께 저장되지 않습니다.',
    begin: (provider: string) => `${provider} 계정으로 로그인`,
    done: (provider: string) => `${provider} 계정으로 로그인했습니다.`,
    end: '로그아웃',
  },
  unreachable: {
    title: '지금은 표에 접근할 수 없습니다',
    text: '표가 집계되었는지 아직 알 수 없습니다. 알게 될 때까지 버튼을 누르세요. 두 번 집계되지 않습니다.',
  },
  comments: {
    title: '댓글',
    yours: '내 댓글',
    name: '이름',
    optional: '(선택)',
    send: '댓글 보내기',
    none: '아직 댓글이 없습니다.',
    notSent: '댓글이 전송되지 않았습니다',
    voteFirst: '이 투표에 참여한 사람만 댓글을 남길 수 있습니다.',
    foreignForm: '다른 방문의 양식입니다. 여기서 다시 보내세요.',
    noText: '비어 있습니다. 내용을 쓰고 다시 보내세요.',
    longText: (most: string) => `${most}자를 넘습니다. 줄여서 다시 보내세요.`,
    badText: '표시할 수 없는 문자가 있습니다. 고쳐서 다시 보내세요.',
    badName: (most: string) =>
      `사용할 수 없는 이름입니다: 최대 ${most}자, 제어 문자 불가. 고쳐서 다시 보내세요.`,
  },
  vpnSeen: 'VPN을 사용 중인 것 같습니다. 투표 전에 끄세요.',
  notCounted: {
    duplicate_voter: {
      title: '이미 투표했습니다',
      text: '첫 번째 표가 유효하며 그대로 유지됩니다. 이번 표는 집계되지 않았습니다.',
    },
    duplicate_account: {
      title: '이 계정은 이미 투표했습니다',
      text: '계정의 첫 번째 표가 유효하며 그대로 유지됩니다. 이번 표는 집계되지 않았습니다.',
    },
    duplicate_address: {
      title: '이 네트워크에서 이미 투표했습니다',
      text: '이 투표는 네트워크당 한 표만 받으므로 집계되지 않았습니다. 다른 사람이었다면 모바일 데이터 등 다른 네트워크에서 투표하세요.',
    },
    poll_closed: {
      title: '투표가 종료되었습니다',
      text: '종료 후에 도착해 집계되지 않았습니다.',
    },
    poll_not_open: {
      title: '투표가 아직 시작되지 않았습니다',
      text: `시작 전에 도착해 집계되지 않았습니다. 시작되면 ‘투표하기’를 누르세요. ${KEPT}`,
    },
    proof_used: {
      title: '이미 사용된 확인입니다',
      text: `이번 시도는 집계되지 않았습니다. 새로 확인 중이니 ‘투표하기’를 다시 누르세요. ${KEPT}`,
    },
    no_answer: {
      title: '먼저 답변을 선택하세요',
      text: '아직 집계되지 않았습니다. 선택한 뒤 ‘투표하기’를 누르세요.',
    },
    too_many_answers: {
      title: '답변을 하나만 선택하세요',
      text: '한 사람이 답변 하나만 고를 수 있습니다. 아직 집계되지 않았습니다. 하나를 고르고 ‘투표하기’를 누르세요.',
    },
    unknown_answer: {
      title: '이 투표에 없는 답변입니다',
      text: '아직 집계되지 않았습니다. 아래 답변 중 하나를 고르고 ‘투표하기’를 누르세요.',
    },
    name_missing: {
      title: '이름이 없습니다',
      text: `이름이 필요한 투표입니다. 아직 집계되지 않았습니다. 입력하고 ‘투표하기’를 누르세요. ${KEPT}`,
    },
    name_unusable: {
      title: '사용할 수 없는 이름입니다',
      text: `이름은 최대 80자이며 제어 문자는 쓸 수 없습니다. 아직 집계되지 않았습니다. 고치고 ‘투표하기’를 누르세요. ${KEPT}`,
    },
    cookie_missing: {
      title: '브라우저가 쿠키를 보내지 않았습니다',
      text: `쿠키가 없으면 투표자를 구별할 수 없어 집계되지 않았습니다. 이 사이트에서 쿠키를 허용하고 ‘투표하기’를 누르세요. ${KEPT}`,
    },
    form_foreign: {
      title: '다른 방문의 양식입니다',
      text: `아직 집계되지 않았습니다. 새 양식입니다. ‘투표하기’를 다시 누르세요. ${KEPT}`,
    },
    vpn_refused: {
      title: 'VPN으로는 투표할 수 없습니다',
      text: `집계되지 않았습니다. VPN을 끄고 ‘투표하기’를 다시 누르세요. ${KEPT}`,
    },
    signed_out: {
      title: '로그인하고 투표하세요',
      text: '아직 집계되지 않았습니다. 로그인하고 선택한 뒤 ‘투표하기’를 누르세요.',
    },
    sign_in_missing: {
      title: '로그인이 설정되어 있지 않습니다',
      text: '로그인한 사람만 투표할 수 있지만 이 사이트에는 아직 로그인이 없습니다. 표는 집계되지 않았습니다. 사이트 운영자만 바꿀 수 있습니다.',
    },
    check_missing: {
      title: '사람 확인이 실행되지 않았습니다',
      text: `JavaScript가 필요하며 이번 시도는 집계되지 않았습니다. 확인이 끝나면 ‘투표하기’를 다시 누르세요. ${KEPT}`,
    },
    check_expired: {
      title: '페이지가 오래 열려 있었습니다',
      text: `사람 확인이 만료되었습니다. ‘투표하기’를 다시 누르세요. 두 번 집계되지 않습니다. ${KEPT}`,
    },
    check_failed: {
      title: '사람 확인에 실패했습니다',
      text: `이번 시도는 집계되지 않았습니다. 새로 확인 중이니 ‘투표하기’를 다시 누르세요. ${KEPT}`,
    },
    check_unreachable: {
      title: '사람 확인에 연결할 수 없습니다',
      text: `이번 시도는 집계되지 않았습니다. 잠시 후 ‘투표하기’를 다시 누르세요. 두 번 집계되지 않습니다. ${KEPT}`,
    },
  },
};
