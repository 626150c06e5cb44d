import type { ManagePhrases } from '../en/manage.ts';
import type { Parts } from '../wording.ts';

export const manage: ManagePhrases = {
  title: 'Gestionar',
  openPage: 'Abrir la página para votar',
  people: 'Personas',
  votes: 'Votos',
  voting: 'Votación',
  ends: 'Final',
  screens: 'Pantallas',
  closeIn: (minutes: string) => `Cerrar en ${minutes}`,
  keepOpen: 'Dejarla abierta',
  addresses: 'Dónde está',
  newKey: 'Nueva clave de lectura',
  newAddress: 'Nueva dirección del overlay',
  upcoming: {
    title: 'La votación no ha empezado',
    text: 'Ábrela y desde entonces se admiten votos. Las páginas y pantallas abiertas se enteran al momento.',
    button: 'Abrir la votación',
  },
  closed: {
    title: 'La votación está cerrada',
    text: 'Ábrela otra vez y desde entonces se admiten votos. Lo contado se queda.',
    button: 'Abrir otra vez',
  },
  open: {
    title: 'La votación está abierta',
    text: 'Ciérrala y ya no se admiten votos. Las páginas y pantallas abiertas se enteran al momento.',
    button: 'Cerrar la votación',
  },
  seenBy: {
    title: 'Quién ve los resultados',
    always: 'Todos ven los resultados.',
    after_deadline: 'Los resultados están ocultos y aparecen al terminar la votación.',
    hidden: 'Solo tú y quien tenga una clave de esta encuesta veis los resultados.',
  },
  show: {
    always: 'Mostrar resultados',
    after_deadline: 'Mostrarlos al terminar la votación',
    hidden: 'Ocultar resultados',
  },
  deadline: {
    title: 'Fin de la votación',
    label: 'Fin de la votación',
    hint: 'Si queda vacío, termina cuando la cierres.',
    button: 'Cambiar el final',
  },
  ballots: {
    title: 'Papeletas',
    text: 'Una línea por papeleta: cuándo se emitió y sus respuestas.',
    textWithNames: 'Una línea por papeleta: cuándo y de quién, y sus respuestas.',
    download: 'Descargar en CSV',
    names: 'Ver los nombres',
  },
  names: {
    title: 'Nombres',
    heading: 'Quién ha votado',
    back: 'Volver',
    newest: (shown: string, all: string) =>
      `Los ${shown} más recientes de ${all}. Todos están en el archivo CSV.`,
    nobody: 'Nadie todavía.',
  },
  unvoted: <T>(moment: T): Parts<T> => ['Si nadie vota, esta encuesta se borrará el ', moment, '.'],
  viewKey: {
    title: 'Clave de lectura',
    text: 'Los overlays la llevan para ver resultados ocultos. Si la tuya se difundió, haz otra: la anterior deja de valer al momento.',
    button: 'Hacer una clave nueva',
  },
  adminKey: {
    text: 'Quien la tiene puede cambiar y borrar esta encuesta. Si tu enlace se ha filtrado, crea otra: la anterior deja de valer al momento, también en las páginas ya abiertas.',
    button: 'Crear otra clave de gestión',
  },
  onAir: {
    title: 'Programa',
    text: <T>(address: T): Parts<T> => [
      'Un overlay en ',
      address,
      ' sigue la encuesta a la que apunta su programa.',
    ],
    name: 'Nombre del programa',
    nameHint: 'Minúsculas, cifras y guiones.',
    key: 'Clave del programa',
    keyHint: 'Empieza por show_ y se dio al crear el programa.',
    button: 'Mostrar allí esta encuesta',
  },
  comments: {
    title: 'Comentarios',
    none: 'Aún no hay comentarios.',
    remove: 'Quitar',
    removeBy: (name: string) => `Quitar el comentario de ${name}`,
  },
  remove: {
    title: 'Eliminar esta encuesta',
    text: 'Se van todos los votos, nombres y comentarios, y toda pantalla que la muestre queda vacía. Nadie puede recuperarla.',

    word: 'eliminar',
    confirm: <T>(word: T): Parts<T> => ['Escribe la palabra ', word],
    button: 'Eliminar para siempre',
  },
  key: {
    heading: 'Gestionar una encuesta',
    label: 'Clave de gestión',
    hint: 'Empieza por admin_ y es parte del enlace para gestionarla.',
    open: 'Continuar',
    rejected: 'Esta clave no gestiona esta encuesta',
    rejectedText:
      'No se cambió nada. Usa el enlace entero que recibiste al crear la encuesta; una clave de lectura solo muestra resultados.',
  },
  unchanged: 'No se cambió nada',
  done: {
    shown: {
      title: 'Los resultados se muestran',
      text: 'Todas las pantallas y páginas abiertas ya los tienen.',
    },
    waiting: {
      title: 'Los resultados esperan al final',
      text: 'Ahora están ocultos y aparecerán al terminar la votación.',
    },
    hidden: {
      title: 'Los resultados están ocultos',
      text: 'Ahora solo los veis tú y quien tenga una clave de esta encuesta.',
    },
    closed: { title: 'La votación está cerrada', text: 'Ya no se admiten votos. Puedes abrirla otra vez.' },
    opened: { title: 'La votación está abierta', text: 'Desde ahora se admiten votos.' },
    reopened: { title: 'La votación está abierta otra vez', text: 'Desde ahora se admiten votos.' },
    reopened_without_end: {
      title: 'La votación está abierta otra vez',
      text: 'Desde ahora se admiten votos. El final que ya pasó se ha quitado: ciérrala a mano o pon otro.',
    },
    no_deadline: { title: 'Ahora no hay final fijado', text: 'La votación termina cuando la cierres.' },
    new_deadline: {
      title: 'El final ha cambiado',
      text: 'Todas las páginas abiertas cuentan hacia el nuevo.',
    },
    new_view_key: {
      title: 'Hay una nueva clave de lectura',
      text: 'Se muestra solo esta vez. Los overlays con la anterior pierden los resultados ocultos; dales la nueva dirección.',
    },
    new_admin_key: {
      title: 'Hay una nueva clave de gestión',
      text: 'Se muestra solo esta vez. Guarda el nuevo enlace; el anterior ya no funciona.',
    },
    comment_removed: { title: 'El comentario se ha quitado', text: 'Ya no está en ninguna página abierta.' },
    comment_gone: { title: 'El comentario ya no estaba', text: 'No se cambió nada más.' },
    removed: { title: 'La encuesta se ha eliminado', text: 'Ya no están sus votos, nombres ni comentarios.' },
  },
  onAirNow: {
    title: (name: string) => `«${name}» muestra ahora esta encuesta`,
    text: (address: string) => `Su overlay es ${address}`,
  },
  refused: {
    visibility_missing: 'Elige quién ve los resultados.',
    moment_missing: 'Elige un día y una hora.',
    minutes_missing: 'Elige cuánto tiempo sigue abierta la votación.',
    page_stale: 'Esta página llevaba demasiado tiempo abierta. Pulsa el botón otra vez.',
    not_confirmed: (word: string) => `Escribe la palabra ${word} para confirmar. La encuesta sigue ahí.`,
    show_not_found:
      'No hay ningún programa con ese nombre. Lleva minúsculas, cifras y guiones, como friday-night.',
    api_key_required: 'Escribe la clave del programa.',
    api_key_rejected: 'Esta clave no abre este programa. Empieza por show_ y se dio al crear el programa.',
    deadline_in_past: 'Elige un momento futuro, o cierra la votación ahora.',
    deadline_missing: 'Para mostrar los resultados al final hace falta un final: pon uno primero.',
    deadline_passed: 'El final ya pasó. Pon primero uno posterior.',
  },
};
