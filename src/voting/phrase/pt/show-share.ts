import type { ShowSharePhrases } from '../en/show-share.ts';

export const showShare: ShowSharePhrases = {
  title: 'Compartilhar o programa',
  audience: 'Para o seu público',
  hint: 'Um código para a noite toda: ele sempre leva à votação que está no ar.',
  print: 'Imprimir o código',
  image: (format: string) => `Código em ${format}`,
  screens: 'Para as suas telas',
  code: 'Overlay só com o código',
  desk: 'Para você',
  deskLink: 'A sua mesa de controle',
  deskHint: 'Abre com a chave do programa.',
  toDesk: 'Abrir a mesa de controle',
  scan: 'Escaneie para votar',
};
