import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Ir para o início',
  toPoll: 'Voltar à enquete',
  reasons: {
    cross_site: {
      title: 'Isto veio de outro site',
      text: 'Nada foi feito. Abra a própria página e tente lá.',
    },
    page_not_found: {
      title: 'Não há nada aqui',
      text: 'O link pode estar cortado ou errado. Confira e abra de novo.',
    },
    poll_not_found: {
      title: 'Esta enquete não existe',
      text: 'Ela pode ter sido excluída, ou o link está cortado ou errado. Nada foi contado.',
    },
    rehearsal: {
      title: 'Ninguém vota aqui',
      text: 'Os votos da enquete de ensaio são simulados. Ela serve para testar programas e overlays.',
    },
    not_managing: {
      title: 'Esta página é de quem criou a enquete',
      text: 'Nada foi mudado. Abra o link de gerenciamento mostrado na criação.',
    },
    too_large: {
      title: 'Foi demais de uma vez',
      text: 'Nada foi feito. Encurte o texto e envie de novo.',
    },
    bad_request: {
      title: 'Não foi possível ler',
      text: 'Nada foi feito. Volte, recarregue a página e tente de novo.',
    },
    rate_limited: {
      title: 'Pedidos demais da sua rede',
      text: 'Nada foi feito com este. Espere um momento e tente de novo; o que foi contado continua contado.',
    },
    engine_unavailable: {
      title: 'Não conseguimos acessar os votos agora',
      text: 'Nada se perdeu. Tente de novo em instantes.',
    },
    sign_in_unreachable: {
      title: 'Não é possível entrar agora',
      text: 'Nada foi contado. Tente de novo em instantes.',
    },
    stopping: {
      title: 'Este servidor está reiniciando',
      text: 'Nada se perdeu. Tente de novo em instantes.',
    },
    failed: {
      title: 'Algo deu errado do nosso lado',
      text: 'Tente de novo em instantes. Um voto nunca conta duas vezes.',
    },
  },
  signInStopped: {
    title: 'Você não entrou',
    text: 'A entrada foi interrompida ou demorou demais. Nada foi contado. Abra a enquete e entre de novo.',
  },
  busy: {
    title: 'Você está na fila',
    heading: 'Há muita gente aqui agora',
    text: (time: string) =>
      `Você está na fila e nada se perdeu. Esta página abre sozinha em cerca de ${time}.`,
    quiet: 'Votos enviados vêm primeiro. Abrir a página de novo não acelera.',
  },
};
