import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'Lo que elegiste sigue elegido.';

export const vote: VotePhrases = {
  start: {
    lead: 'Haz una pregunta, comparte el enlace y mira llegar las respuestas.',
    preview: 'Vota y sigue los resultados en directo.',
    create: 'Crear una encuesta',
    publicPolls: 'Encuestas públicas',
    none: 'Aún no hay encuestas públicas. La primera podría ser tuya.',
    ended: 'La votación ha terminado',
    upcoming: 'La votación no ha empezado',
    open: 'Abierta',
    openUntil: <T>(moment: T): Parts<T> => ['Abierta hasta el ', moment],
  },
  preview: 'Vota y mira los resultados en directo.',
  chooseOne: 'Elige una',
  chooseSeveral: 'Elige una o más',
  vote: 'Votar',
  yourName: 'Tu nombre',
  nameHint: 'Quien creó la encuesta lo ve junto a tu voto.',
  needsScript:
    'Para votar hace falta JavaScript, que comprueba que eres una persona. Permítelo en este sitio y recarga la página.',
  peek: 'Ver los resultados sin votar',
  counted: {
    title: 'Tu voto cuenta',
    text: <T>(choices: T): Parts<T> => ['Elegiste ', choices, '.'],
  },
  upcoming: { title: 'La votación no ha empezado', text: 'Podrás votar aquí en cuanto empiece.' },
  ended: { title: 'La votación ha terminado', text: 'Esta encuesta ya no admite votos.' },
  signIn: {
    missing:
      'Aquí solo votan personas con sesión iniciada, y este sitio no lo tiene configurado. Solo quien lo gestiona puede cambiarlo.',
    needed: 'Aquí solo votan personas con sesión iniciada. Tu cuenta no se guarda con tu voto.',
    begin: (provider: string) => `Iniciar sesión con ${provider}`,
    done: (provider: string) => `Has iniciado sesión con ${provider}.`,
    end: 'Cerrar sesión',
  },
  unreachable: {
    title: 'Ahora no podemos acceder a los votos',
    text: 'Aún no sabemos si tu voto se contó. Pulsa el botón hasta saberlo: no puede contar dos veces.',
  },
  comments: {
    title: 'Comentarios',
    yours: 'Tu comentario',
    name: 'Nombre',
    optional: '(opcional)',
    send: 'Enviar comentario',
    none: 'Aún no hay comentarios.',
    notSent: 'Tu comentario no se envió',
    voteFirst: 'Solo pueden comentar quienes han votado en esta encuesta.',
    foreignForm: 'El formulario es de otra visita. Envíalo otra vez desde aquí.',
    noText: 'Aún está vacío. Escribe algo y envíalo otra vez.',
    longText: (most: string) => `Tiene más de ${most} caracteres. Acórtalo y envíalo otra vez.`,
    badText: 'Contiene caracteres que no se pueden mostrar. Cámbialo y envíalo otra vez.',
    badName: (most: string) =>
      `Ese nombre no sirve: hasta ${most} caracteres, sin caracteres de control. Cámbialo y envíalo otra vez.`,
  },
  vpnSeen: 'Parece que usas una. Desactívala antes de votar.',
  notCounted: {
    duplicate_voter: {
      title: 'Ya has votado aquí',
      text: 'Tu primer voto cuenta y queda como está. Este no se contó.',
    },
    duplicate_account: {
      title: 'Esta cuenta ya ha votado',
      text: 'El primer voto de tu cuenta cuenta y queda como está. Este no se contó.',
    },
    duplicate_address: {
      title: 'Tu red ya ha votado',
      text: 'Esta encuesta admite un voto por red, así que este no se contó. Si fue otra persona, vota desde otra red, por ejemplo con datos móviles.',
    },
    poll_closed: {
      title: 'La votación ha terminado',
      text: 'Tu voto llegó después del final y no se contó.',
    },
    poll_not_open: {
      title: 'La votación no ha empezado',
      text: `Tu voto llegó antes del comienzo y no se contó. Pulsa «Votar» cuando empiece la votación. ${KEPT}`,
    },
    proof_used: {
      title: 'Esa comprobación ya se usó',
      text: `Este intento no se contó. Hay una nueva comprobación en marcha: pulsa «Votar» otra vez. ${KEPT}`,
    },
    no_answer: {
      title: 'Elige primero una respuesta',
      text: 'Aún no se contó nada. Elige y pulsa «Votar».',
    },
    too_many_answers: {
      title: 'Elige solo una respuesta',
      text: 'Esta encuesta admite una respuesta por persona. Aún no se contó nada. Elige una y pulsa «Votar».',
    },
    unknown_answer: {
      title: 'Esa respuesta no es de esta encuesta',
      text: 'Aún no se contó nada. Elige una de las respuestas de abajo y pulsa «Votar».',
    },
    name_missing: {
      title: 'Falta tu nombre',
      text: `Esta encuesta pide un nombre. Aún no se contó nada: escríbelo y pulsa «Votar». ${KEPT}`,
    },
    name_unusable: {
      title: 'Ese nombre no sirve',
      text: `Un nombre tiene hasta 80 caracteres y ninguno de control. Aún no se contó nada: cámbialo y pulsa «Votar». ${KEPT}`,
    },
    cookie_missing: {
      title: 'Tu navegador no envió nuestra cookie',
      text: `Sin ella no distinguimos a los votantes, así que no se contó nada. Permite las cookies en este sitio y pulsa «Votar». ${KEPT}`,
    },
    form_foreign: {
      title: 'Este formulario es de otra visita',
      text: `Aún no se contó nada. Aquí tienes uno nuevo: pulsa «Votar» otra vez. ${KEPT}`,
    },
    vpn_refused: {
      title: 'Esta encuesta no admite votos por VPN',
      text: `Tu voto no se contó. Desactiva la VPN y pulsa «Votar» otra vez. ${KEPT}`,
    },
    signed_out: {
      title: 'Inicia sesión para votar',
      text: 'Tu voto aún no se contó. Inicia sesión, elige y pulsa «Votar».',
    },
    sign_in_missing: {
      title: 'Aquí no se puede iniciar sesión',
      text: 'Aquí solo votan personas con sesión iniciada, y este sitio aún no lo permite. Tu voto no se contó. Solo quien lo gestiona puede cambiarlo.',
    },
    check_missing: {
      title: 'La comprobación de que eres una persona no se hizo',
      text: `Necesita JavaScript, y este intento no se contó. Espera a que termine y pulsa «Votar» otra vez. ${KEPT}`,
    },
    check_expired: {
      title: 'Esta página llevaba mucho tiempo abierta',
      text: `La comprobación de que eres una persona caducó. Pulsa «Votar» otra vez; no puede contar dos veces. ${KEPT}`,
    },
    check_failed: {
      title: 'La comprobación de que eres una persona falló',
      text: `Este intento no se contó. Hay una nueva comprobación en marcha: pulsa «Votar» otra vez. ${KEPT}`,
    },
    check_unreachable: {
      title: 'No podemos comprobar ahora que eres una persona',
      text: `Este intento no se contó. Espera un momento y pulsa «Votar» otra vez; no puede contar dos veces. ${KEPT}`,
    },
  },
};
