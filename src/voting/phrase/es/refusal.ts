import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Ir al inicio',
  toPoll: 'Volver a la encuesta',
  reasons: {
    cross_site: {
      title: 'Esto vino de otro sitio',
      text: 'No se hizo nada. Abre la página misma e inténtalo allí.',
    },
    page_not_found: {
      title: 'Aquí no hay nada',
      text: 'Puede que el enlace esté cortado o mal escrito. Revísalo y ábrelo otra vez.',
    },
    poll_not_found: {
      title: 'Esta encuesta no existe',
      text: 'Puede que se eliminara, o que el enlace esté cortado o mal escrito. No se contó nada.',
    },
    rehearsal: {
      title: 'Aquí no vota nadie',
      text: 'Los votos de la encuesta de ensayo son simulados. Está para probar programas y overlays.',
    },
    not_managing: {
      title: 'Esta página es para quien creó la encuesta',
      text: 'No se cambió nada. Abre el enlace para gestionarla que se mostró al crearla.',
    },
    too_large: {
      title: 'Era demasiado de una vez',
      text: 'No se hizo nada. Acorta el texto y envíalo otra vez.',
    },
    bad_request: {
      title: 'No se pudo leer',
      text: 'No se hizo nada. Vuelve atrás, recarga la página e inténtalo otra vez.',
    },
    rate_limited: {
      title: 'Demasiadas peticiones desde tu red',
      text: 'Con esta no se hizo nada. Espera un momento e inténtalo otra vez; lo ya contado sigue contado.',
    },
    engine_unavailable: {
      title: 'Ahora no podemos acceder a los votos',
      text: 'No se ha perdido nada. Inténtalo dentro de un momento.',
    },
    sign_in_unreachable: {
      title: 'Ahora no se puede iniciar sesión',
      text: 'No se contó nada. Inténtalo dentro de un momento.',
    },
    stopping: {
      title: 'Este servidor se está reiniciando',
      text: 'No se ha perdido nada. Inténtalo dentro de un momento.',
    },
    failed: {
      title: 'Algo falló por nuestra parte',
      text: 'Inténtalo dentro de un momento. Un voto nunca se cuenta dos veces.',
    },
  },
  signInStopped: {
    title: 'No has iniciado sesión',
    text: 'El inicio de sesión se interrumpió o tardó demasiado. No se contó nada. Abre la encuesta e inicia sesión otra vez.',
  },
  busy: {
    title: 'Estás en la cola',
    heading: 'Ahora hay mucha gente aquí',
    text: (time: string) =>
      `Estás en la cola y no se ha perdido nada. Esta página se abrirá sola en unos ${time}.`,
    quiet: 'Los votos enviados van primero. Abrir la página tú mismo no lo acelera.',
  },
};
