import type { ManagePhrases } from '../en/manage.ts';
import type { Parts } from '../wording.ts';

export const manage: ManagePhrases = {
  title: 'Gerenciar',
  openPage: 'Abrir a página de votação',
  people: 'Pessoas',
  votes: 'Votos',
  voting: 'Votação',
  ends: 'Fim',
  screens: 'Telas',
  closeIn: (minutes: string) => `Fechar em ${minutes}`,
  keepOpen: 'Manter aberta',
  addresses: 'Onde está',
  newKey: 'Nova chave de leitura',
  newAddress: 'Novo endereço do overlay',
  upcoming: {
    title: 'A votação não começou',
    text: 'Abra, e a partir daí os votos são aceitos. Páginas e telas abertas sabem na hora.',
    button: 'Abrir a votação',
  },
  closed: {
    title: 'A votação está fechada',
    text: 'Reabra, e a partir daí os votos são aceitos. O que foi contado fica.',
    button: 'Reabrir a votação',
  },
  open: {
    title: 'A votação está aberta',
    text: 'Feche, e nenhum voto mais é aceito. Páginas e telas abertas sabem na hora.',
    button: 'Fechar a votação',
  },
  seenBy: {
    title: 'Quem vê os resultados',
    always: 'Todos veem os resultados.',
    after_deadline: 'Os resultados estão ocultos e aparecem no fim da votação.',
    hidden: 'Só você e quem tiver uma chave desta enquete veem os resultados.',
  },
  show: {
    always: 'Mostrar resultados',
    after_deadline: 'Mostrar no fim da votação',
    hidden: 'Ocultar resultados',
  },
  deadline: {
    title: 'Fim da votação',
    label: 'Fim da votação',
    hint: 'Se ficar vazio, termina quando você fechar.',
    button: 'Mudar o fim',
  },
  ballots: {
    title: 'Cédulas',
    text: 'Uma linha por cédula: quando foi votada e suas respostas.',
    textWithNames: 'Uma linha por cédula: quando, por quem, e suas respostas.',
    download: 'Baixar em CSV',
    names: 'Ver os nomes',
  },
  names: {
    title: 'Nomes',
    heading: 'Quem votou',
    back: 'Voltar',
    newest: (shown: string, all: string) =>
      `Os ${shown} mais recentes de ${all}. Todos estão no arquivo CSV.`,
    nobody: 'Ninguém ainda.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['Se ninguém votar, esta enquete será apagada em ', moment, '.'],
  viewKey: {
    title: 'Chave de leitura',
    text: 'Overlays a levam para ver resultados ocultos. Se a sua se espalhou, crie outra: a antiga deixa de valer na hora.',
    button: 'Criar uma nova chave',
  },
  adminKey: {
    text: 'Quem a tem pode alterar e apagar esta enquete. Se o seu link vazou, crie outra: a antiga deixa de valer na hora, também nas páginas já abertas.',
    button: 'Criar uma nova chave de gerenciamento',
  },
  onAir: {
    title: 'Programa',
    text: <T>(address: T): Parts<T> => [
      'Um overlay em ',
      address,
      ' segue a enquete que seu programa indica.',
    ],
    name: 'Nome do programa',
    nameHint: 'Minúsculas, números e hífens.',
    key: 'Chave do programa',
    keyHint: 'Começa com show_ e foi dada na criação do programa.',
    button: 'Mostrar esta enquete lá',
  },
  comments: {
    title: 'Comentários',
    none: 'Ainda não há comentários.',
    remove: 'Remover',
    removeBy: (name: string) => `Remover o comentário de ${name}`,
  },
  remove: {
    title: 'Excluir esta enquete',
    text: 'Todos os votos, nomes e comentários vão junto, e toda tela que a mostra fica vazia. Ninguém pode trazê-la de volta.',

    word: 'excluir',
    confirm: <T>(word: T): Parts<T> => ['Digite a palavra ', word],
    button: 'Excluir para sempre',
  },
  key: {
    heading: 'Gerenciar uma enquete',
    label: 'Chave de gerenciamento',
    hint: 'Começa com admin_ e faz parte do link de gerenciamento.',
    open: 'Continuar',
    rejected: 'Esta chave não gerencia esta enquete',
    rejectedText:
      'Nada foi mudado. Use o link inteiro que recebeu na criação; uma chave de leitura só mostra resultados.',
  },
  unchanged: 'Nada foi mudado',
  done: {
    shown: { title: 'Os resultados são mostrados', text: 'Todas as telas e páginas abertas já os têm.' },
    waiting: {
      title: 'Os resultados esperam o fim',
      text: 'Estão ocultos e aparecem no fim da votação.',
    },
    hidden: {
      title: 'Os resultados estão ocultos',
      text: 'Só você e quem tiver uma chave desta enquete os veem.',
    },
    closed: { title: 'A votação está fechada', text: 'Nenhum voto mais é aceito. Você pode reabrir.' },
    opened: { title: 'A votação está aberta', text: 'A partir de agora os votos são aceitos.' },
    reopened: { title: 'A votação está aberta de novo', text: 'A partir de agora os votos são aceitos.' },
    reopened_without_end: {
      title: 'A votação está aberta de novo',
      text: 'A partir de agora os votos são aceitos. O fim que passou não vale mais: feche à mão ou marque outro.',
    },
    no_deadline: { title: 'Agora não há fim marcado', text: 'A votação termina quando você fechar.' },
    new_deadline: {
      title: 'O fim mudou',
      text: 'Todas as páginas abertas contam para o novo.',
    },
    new_view_key: {
      title: 'Há uma nova chave de leitura',
      text: 'Ela é mostrada só desta vez. Overlays com a antiga perdem resultados ocultos; dê a eles o novo endereço.',
    },
    new_admin_key: {
      title: 'Há uma nova chave de gerenciamento',
      text: 'Ela é mostrada só desta vez. Salve o novo link; o antigo não funciona mais.',
    },
    comment_removed: { title: 'O comentário foi removido', text: 'Sumiu de todas as páginas abertas.' },
    comment_gone: { title: 'O comentário já não existia', text: 'Nada mais foi mudado.' },
    removed: { title: 'A enquete foi excluída', text: 'Todos os votos, nomes e comentários se foram.' },
  },
  onAirNow: {
    title: (name: string) => `“${name}” mostra esta enquete agora`,
    text: (address: string) => `Seu overlay é ${address}`,
  },
  refused: {
    visibility_missing: 'Escolha quem vê os resultados.',
    moment_missing: 'Escolha um dia e uma hora.',
    minutes_missing: 'Escolha por quanto tempo a votação fica aberta.',
    page_stale: 'Esta página ficou tempo demais aberta. Pressione o botão de novo.',
    not_confirmed: (word: string) => `Digite a palavra ${word} para confirmar. A enquete ainda está aí.`,
    show_not_found: 'Não há programa com esse nome. Ele tem minúsculas, números e hífens, como friday-night.',
    api_key_required: 'Escreva a chave do programa.',
    api_key_rejected:
      'Esta chave não abre este programa. Ela começa com show_ e foi dada na criação do programa.',
    deadline_in_past: 'Escolha um momento no futuro, ou feche a votação agora.',
    deadline_missing: 'Resultados no fim precisam de um fim: marque um antes.',
    deadline_passed: 'O fim já passou. Marque um mais tarde antes.',
  },
};
