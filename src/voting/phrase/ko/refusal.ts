import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: '시작 페이지로',
  toPoll: '투표로 돌아가기',
  reasons: {
    cross_site: {
      title: '다른 사이트에서 온 요청입니다',
      text: '아무 일도 하지 않았습니다. 페이지를 직접 열고 시도하세요.',
    },
    page_not_found: {
      title: '여기에는 아무것도 없습니다',
      text: '링크가 잘렸거나 잘못되었을 수 있습니다. 확인하고 다시 여세요.',
    },
    poll_not_found: {
      title: '없는 투표입니다',
      text: '삭제되었거나 링크가 잘렸거나 잘못되었습니다. 집계된 것은 없습니다.',
    },
    rehearsal: {
      title: '여기서는 투표하지 않습니다',
      text: '연습용 투표의 표는 가상입니다. 프로그램과 오버레이를 시험하기 위한 것입니다.',
    },
    not_managing: {
      title: '투표를 만든 사람을 위한 페이지입니다',
      text: '바뀐 것은 없습니다. 만들 때 표시된 관리 링크를 여세요.',
    },
    too_large: {
      title: '한 번에 너무 많습니다',
      text: '아무 일도 하지 않았습니다. 내용을 줄여 다시 보내세요.',
    },
    bad_request: {
      title: '읽을 수 없습니다',
      text: '아무 일도 하지 않았습니다. 돌아가서 페이지를 새로 고치고 다시 시도하세요.',
    },
    rate_limited: {
      title: '네트워크의 요청이 너무 많습니다',
      text: '이 요청은 처리되지 않았습니다. 잠시 후 다시 시도하세요. 집계된 표는 그대로입니다.',
    },
    engine_unavailable: {
      title: '지금은 표에 접근할 수 없습니다',
      text: '잃은 것은 없습니다. 잠시 후 다시 시도하세요.',
    },
    sign_in_unreachable: {
      title: '지금은 로그인할 수 없습니다',
      text: '집계된 것은 없습니다. 잠시 후 다시 시도하세요.',
    },
    stopping: {
      title: '서버를 다시 시작하는 중입니다',
      text: '잃은 것은 없습니다. 잠시 후 다시 시도하세요.',
    },
    failed: {
      title: '저희 쪽에 문제가 생겼습니다',
      text: '잠시 후 다시 시도하세요. 표가 두 번 집계되는 일은 없습니다.',
    },
  },
  signInStopped: {
    title: '로그인하지 않았습니다',
    text: '로그인이 중단되었거나 너무 오래 걸렸습니다. 집계된 것은 없습니다. 투표를 열고 다시 로그인하세요.',
  },
  busy: {
    title: '순서를 기다리는 중입니다',
    heading: '지금 사람이 아주 많습니다',
    text: (time: string) =>
      `순서를 기다리는 중이며 잃은 것은 없습니다. 약 ${time} 후에 페이지가 저절로 열립니다.`,
    quiet: '보낸 표를 먼저 처리합니다. 페이지를 다시 열어도 빨라지지 않습니다.',
  },
};
