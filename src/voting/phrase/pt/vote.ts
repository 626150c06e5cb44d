import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'O que você escolheu continua escolhido.';

export const vote: VotePhrases = {
  start: {
    lead: 'Faça uma pergunta, compartilhe o link e veja as respostas chegarem.',
    preview: 'Vote e acompanhe os resultados ao vivo.',
    create: 'Criar uma enquete',
    publicPolls: 'Enquetes públicas',
    none: 'Ainda não há enquetes públicas. A primeira pode ser sua.',
    ended: 'A votação terminou',
    upcoming: 'A votação não começou',
    open: 'Aberta',
    openUntil: <T>(moment: T): Parts<T> => ['Aberta até ', moment],
  },
  preview: 'Vote e veja os resultados ao vivo.',
  chooseOne: 'Escolha uma',
  chooseSeveral: 'Escolha uma ou mais',
  vote: 'Votar',
  yourName: 'Seu nome',
  nameHint: 'Quem criou a enquete o vê ao lado do seu voto.',
  needsScript:
    'Votar precisa de JavaScript, para verificar que você é uma pessoa. Permita-o neste site e recarregue a página.',
  peek: 'Ver os resultados sem votar',
  counted: {
    title: 'Seu voto conta',
    text: <T>(choices: T): Parts<T> => ['Você escolheu ', choices, '.'],
  },
  upcoming: { title: 'A votação não começou', text: 'Você poderá votar aqui assim que começar.' },
  ended: { title: 'A votação terminou', text: 'Esta enquete não aceita mais votos.' },
  signIn: {
    missing:
      'Aqui só vota quem entrou com uma conta, e este site não tem isso configurado. Só quem o administra pode mudar.',
    needed: 'Aqui só vota quem entrou com uma conta. Sua conta não é guardada com o voto.',
    begin: (provider: string) => `Entrar com ${provider}`,
    done: (provider: string) => `Você entrou com ${provider}.`,
    end: 'Sair',
  },
  unreachable: {
    title: 'Não conseguimos acessar os votos agora',
    text: 'Ainda não sabemos se seu voto foi contado. Pressione o botão até saber: ele não pode contar duas vezes.',
  },
  comments: {
    title: 'Comentários',
    yours: 'Seu comentário',
    name: 'Nome',
    optional: '(opcional)',
    send: 'Enviar comentário',
    none: 'Ainda não há comentários.',
    notSent: 'Seu comentário não foi enviado',
    voteFirst: 'Só quem votou nesta enquete pode comentar.',
    foreignForm: 'O formulário é de outra visita. Envie de novo daqui.',
    noText: 'Ainda está vazio. Escreva algo e envie de novo.',
    longText: (most: string) => `Passa de ${most} caracteres. Encurte e envie de novo.`,
    badText: 'Contém caracteres que não podem ser mostrados. Mude e envie de novo.',
    badName: (most: string) =>
      `Esse nome não serve: até ${most} caracteres, nenhum de controle. Mude e envie de novo.`,
  },
  vpnSeen: 'Parece que você usa uma. Desligue-a antes de votar.',
  notCounted: {
    duplicate_voter: {
      title: 'Você já votou aqui',
      text: 'Seu primeiro voto conta e fica como está. Este não foi contado.',
    },
    duplicate_account: {
      title: 'Esta conta já votou',
      text: 'O primeiro voto da sua conta vale e fica como está. Este não foi contado.',
    },
    duplicate_address: {
      title: 'Sua rede já votou',
      text: 'Esta enquete aceita um voto por rede, então este não foi contado. Se foi outra pessoa, vote de outra rede, por exemplo com dados móveis.',
    },
    poll_closed: {
      title: 'A votação terminou',
      text: 'Seu voto chegou depois do fim e não foi contado.',
    },
    poll_not_open: {
      title: 'A votação não começou',
      text: `Seu voto chegou antes do começo e não foi contado. Pressione “Votar” quando a votação começar. ${KEPT}`,
    },
    proof_used: {
      title: 'Essa verificação já foi usada',
      text: `Esta tentativa não foi contada. Há uma nova verificação em andamento: pressione “Votar” de novo. ${KEPT}`,
    },
    no_answer: {
      title: 'Escolha primeiro uma resposta',
      text: 'Nada foi contado ainda. Escolha e pressione “Votar”.',
    },
    too_many_answers: {
      title: 'Escolha só uma resposta',
      text: 'Esta enquete aceita uma resposta por pessoa. Nada foi contado ainda. Escolha uma e pressione “Votar”.',
    },
    unknown_answer: {
      title: 'Essa resposta não é desta enquete',
      text: 'Nada foi contado ainda. Escolha uma das respostas abaixo e pressione “Votar”.',
    },
    name_missing: {
      title: 'Falta seu nome',
      text: `Esta enquete pede um nome. Nada foi contado ainda: escreva-o e pressione “Votar”. ${KEPT}`,
    },
    name_unusable: {
      title: 'Esse nome não serve',
      text: `Um nome tem até 80 caracteres e nenhum de controle. Nada foi contado ainda: mude-o e pressione “Votar”. ${KEPT}`,
    },
    cookie_missing: {
      title: 'Seu navegador não enviou nosso cookie',
      text: `Sem ele não distinguimos os votantes, então nada foi contado. Permita cookies neste site e pressione “Votar”. ${KEPT}`,
    },
    form_foreign: {
      title: 'Este formulário é de outra visita',
      text: `Nada foi contado ainda. Aqui está um novo: pressione “Votar” de novo. ${KEPT}`,
    },
    vpn_refused: {
      title: 'Esta enquete não aceita votos por VPN',
      text: `Seu voto não foi contado. Desligue a VPN e pressione “Votar” de novo. ${KEPT}`,
    },
    signed_out: {
      title: 'Entre para votar',
      text: 'Seu voto ainda não foi contado. Entre, escolha e pressione “Votar”.',
    },
    sign_in_missing: {
      title: 'Aqui não é possível entrar',
      text: 'Aqui só vota quem entrou com uma conta, e este site ainda não permite isso. Seu voto não foi contado. Só quem o administra pode mudar.',
    },
    check_missing: {
      title: 'A verificação de que você é uma pessoa não rodou',
      text: `Ela precisa de JavaScript, e esta tentativa não foi contada. Espere terminar e pressione “Votar” de novo. ${KEPT}`,
    },
    check_expired: {
      title: 'Esta página ficou muito tempo aberta',
      text: `A verificação de que você é uma pessoa expirou. Pressione “Votar” de novo; nada conta duas vezes. ${KEPT}`,
    },
    check_failed: {
      title: 'A verificação de que você é uma pessoa falhou',
      text: `Esta tentativa não foi contada. Há uma nova verificação em andamento: pressione “Votar” de novo. ${KEPT}`,
    },
    check_unreachable: {
      title: 'Não conseguimos verificar agora que você é uma pessoa',
      text: `Esta tentativa não foi contada. Espere um momento e pressione “Votar” de novo; nada conta duas vezes. ${KEPT}`,
    },
  },
};
