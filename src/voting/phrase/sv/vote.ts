import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'Det du valde är kvar.';

export const vote: VotePhrases = {
  start: {
    lead: 'Ställ en fråga, dela länken och se svaren komma in.',
    preview: 'Rösta och följ resultatet live.',
    create: 'Skapa omröstning',
    publicPolls: 'Offentliga omröstningar',
    none: 'Inga offentliga omröstningar än. Den första kan bli din.',
    ended: 'Röstningen är slut',
    upcoming: 'Röstningen har inte börjat',
    open: 'Öppen',
    openUntil: <T>(moment: T): Parts<T> => ['Öppen till ', moment],
  },
  preview: 'Rösta och se resultatet live.',
  chooseOne: 'Välj ett',
  chooseSeveral: 'Välj ett eller flera',
  vote: 'Rösta',
  yourName: 'Ditt namn',
  nameHint: 'Den som skapade omröstningen ser det bredvid din röst.',
  needsScript:
    'Röstningen behöver JavaScript för att kontrollera att du är människa. Tillåt det för den här sajten och ladda om sidan.',
  peek: 'Se resultatet utan att rösta',
  counted: {
    title: 'Din röst räknas',
    text: <T>(choices: T): Parts<T> => ['Du valde ', choices, '.'],
  },
  upcoming: { title: 'Röstningen har inte börjat', text: 'Du kan rösta här så snart den börjar.' },
  ended: { title: 'Röstningen är slut', text: 'Den här omröstningen tar inte emot fler röster.' },
  signIn: {
    missing:
      'Här röstar bara inloggade, och inloggning är inte inställd på sajten. Bara den som driver sajten kan ändra det.',
    needed: 'Här röstar bara inloggade. Ditt konto sparas inte med din röst.',
    begin: (provider: string) => `Logga in med ${provider}`,
    done: (provider: string) => `Du är inloggad med ${provider}.`,
    end: 'Logga ut',
  },
  unreachable: {
    title: 'Vi når inte rösterna just nu',
    text: 'Vi vet inte än om din röst räknades. Tryck på knappen tills du får veta: den kan inte räknas två gånger.',
  },
  comments: {
    title: 'Kommentarer',
    yours: 'Din kommentar',
    name: 'Namn',
    optional: '(valfritt)',
    send: 'Skicka kommentar',
    none: 'Inga kommentarer än.',
    notSent: 'Din kommentar skickades inte',
    voteFirst: 'Bara de som har röstat i omröstningen kan kommentera.',
    foreignForm: 'Formuläret hör till ett annat besök. Skicka igen härifrån.',
    noText: 'Den är tom än. Skriv något och skicka igen.',
    longText: (most: string) => `Den är längre än ${most} tecken. Korta den och skicka igen.`,
    badText: 'Den har tecken som inte kan visas. Ändra den och skicka igen.',
    badName: (most: string) =>
      `Det namnet går inte: högst ${most} tecken, inga styrtecken. Ändra det och skicka igen.`,
  },
  vpnSeen: 'Du verkar använda ett. Stäng av det innan du röstar.',
  notCounted: {
    duplicate_voter: {
      title: 'Du har redan röstat här',
      text: 'Din första röst räknas och står fast. Den här räknades inte.',
    },
    duplicate_account: {
      title: 'Det här kontot har redan röstat',
      text: 'Kontots första röst räknas och står fast. Den här räknades inte.',
    },
    duplicate_address: {
      title: 'Ditt nätverk har redan röstat',
      text: 'Omröstningen tar en röst per nätverk, så den här räknades inte. Var det någon annan, rösta från ett annat nätverk, till exempel mobilt.',
    },
    poll_closed: {
      title: 'Röstningen är slut',
      text: 'Din röst kom efter slutet och räknades inte.',
    },
    poll_not_open: {
      title: 'Röstningen har inte börjat',
      text: `Din röst kom före början och räknades inte. Tryck på ”Rösta” när röstningen har börjat. ${KEPT}`,
    },
    proof_used: {
      title: 'Den kontrollen är redan använd',
      text: `Det här försöket räknades inte. En ny kontroll pågår: tryck på ”Rösta” igen. ${KEPT}`,
    },
    no_answer: {
      title: 'Välj ett svar först',
      text: 'Inget har räknats än. Välj och tryck på ”Rösta”.',
    },
    too_many_answers: {
      title: 'Välj bara ett svar',
      text: 'Omröstningen tar ett svar per person. Inget har räknats än. Välj ett och tryck på ”Rösta”.',
    },
    unknown_answer: {
      title: 'Det svaret finns inte här',
      text: 'Inget har räknats än. Välj ett av svaren nedan och tryck på ”Rösta”.',
    },
    name_missing: {
      title: 'Ditt namn saknas',
      text: `Omröstningen ber om ett namn. Inget har räknats än: fyll i det och tryck på ”Rösta”. ${KEPT}`,
    },
    name_unusable: {
      title: 'Det namnet går inte',
      text: `Ett namn har högst 80 tecken och inga styrtecken. Inget har räknats än: ändra det och tryck på ”Rösta”. ${KEPT}`,
    },
    cookie_missing: {
      title: 'Din webbläsare skickade inte vår kaka',
      text: `Utan den kan vi inte skilja väljare åt, så inget räknades. Tillåt kakor för sajten och tryck på ”Rösta”. ${KEPT}`,
    },
    form_foreign: {
      title: 'Formuläret hör till ett annat besök',
      text: `Inget har räknats än. Här är ett nytt: tryck på ”Rösta” igen. ${KEPT}`,
    },
    vpn_refused: {
      title: 'Omröstningen tar inga röster via VPN',
      text: `Din röst räknades inte. Stäng av VPN och tryck på ”Rösta” igen. ${KEPT}`,
    },
    signed_out: {
      title: 'Logga in för att rösta',
      text: 'Din röst räknades inte än. Logga in, välj och tryck på ”Rösta”.',
    },
    sign_in_missing: {
      title: 'Inloggning är inte inställd här',
      text: 'Här röstar bara inloggade, och sajten har ingen inloggning än. Din röst räknades inte. Bara den som driver sajten kan ändra det.',
    },
    check_missing: {
      title: 'Kontrollen att du är människa kördes inte',
      text: `Den behöver JavaScript, och försöket räknades inte. Vänta tills den är klar och tryck på ”Rösta” igen. ${KEPT}`,
    },
    check_expired: {
      title: 'Sidan har varit öppen länge',
      text: `Kontrollen att du är människa gick ut. Tryck på ”Rösta” igen; inget räknas två gånger. ${KEPT}`,
    },
    check_failed: {
      title: 'Kontrollen att du är människa misslyckades',
      text: `Det här försöket räknades inte. En ny kontroll pågår: tryck på ”Rösta” igen. ${KEPT}`,
    },
    check_unreachable: {
      title: 'Kontrollen att du är människa går inte att nå',
      text: `Det här försöket räknades inte. Vänta lite och tryck på ”Rösta” igen; inget räknas två gånger. ${KEPT}`,
    },
  },
};
