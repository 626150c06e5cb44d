import type { VotePhrases } from '../en/vote.ts';
import type { Parts } from '../wording.ts';

const KEPT = 'Seçiminiz hâlâ duruyor.';

export const vote: VotePhrases = {
  start: {
    lead: 'Bir soru sorun, bağlantıyı paylaşın, gelen yanıtları izleyin.',
    preview: 'Oy verin ve sonuçları canlı izleyin.',
    create: 'Anket oluştur',
    publicPolls: 'Herkese açık anketler',
    none: 'Henüz herkese açık anket yok. İlki sizinki olabilir.',
    ended: 'Oylama bitti',
    upcoming: 'Oylama başlamadı',
    open: 'Açık',
    openUntil: <T>(moment: T): Parts<T> => [moment, ' tarihine kadar açık'],
  },
  preview: 'Oy verin ve sonuçları canlı görün.',
  chooseOne: 'Birini seçin',
  chooseSeveral: 'Bir veya daha fazlasını seçin',
  vote: 'Oy ver',
  yourName: 'Adınız',
  nameHint: 'Anketi oluşturan kişi adınızı oyunuzun yanında görür.',
  needsScript:
    'Oy vermek için, insan olduğunuzu denetleyen JavaScript gerekir. Bu sitede izin verip sayfayı yenileyin.',
  peek: 'Oy vermeden sonuçları gör',
  counted: {
    title: 'Oyunuz sayıldı',
    text: <T>(choices: T): Parts<T> => ['Seçiminiz: ', choices, '.'],
  },
  upcoming: { title: 'Oylama başlamadı', text: 'Başladığında burada oy verebilirsiniz.' },
  ended: { title: 'Oylama bitti', text: 'Bu ankette artık oy alınmıyor.' },
  signIn: {
    missing:
      'Burada yalnız oturum açanlar oy verir ve bu sitede oturum açma kurulu değil. Bunu yalnız siteyi işleten değiştirebilir.',
    needed: 'Burada yalnız oturum açanlar oy verir. Hesabınız oyunuzla birlikte saklanmaz.',
    begin: (provider: string) => `${provider} ile oturum aç`,
    done: (provider: string) => `${provider} ile oturum açtınız.`,
    end: 'Oturumu kapat',
  },
  unreachable: {
    title: 'Şu an oylara ulaşılamıyor',
    text: 'Oyunuzun sayılıp sayılmadığını henüz bilmiyoruz. Öğrenene dek düğmeye basın: iki kez sayılmaz.',
  },
  comments: {
    title: 'Yorumlar',
    yours: 'Yorumunuz',
    name: 'Ad',
    optional: '(isteğe bağlı)',
    send: 'Yorumu gönder',
    none: 'Henüz yorum yok.',
    notSent: 'Yorumunuz gönderilmedi',
    voteFirst: 'Yalnızca bu ankette oy verenler yorum yapabilir.',
    foreignForm: 'Form başka bir ziyaretten. Buradan yeniden gönderin.',
    noText: 'Henüz boş. Bir şey yazıp yeniden gönderin.',
    longText: (most: string) => `${most} karakterden uzun. Kısaltıp yeniden gönderin.`,
    badText: 'Gösterilemeyen karakterler var. Değiştirip yeniden gönderin.',
    badName: (most: string) =>
      `Bu ad kullanılamaz: en çok ${most} karakter, denetim karakteri yok. Değiştirip yeniden gönderin.`,
  },
  vpnSeen: 'VPN kullanıyor gibisiniz. Oy vermeden önce kapatın.',
  notCounted: {
    duplicate_voter: {
      title: 'Burada zaten oy verdiniz',
      text: 'İlk oyunuz sayıldı ve olduğu gibi kalır. Bu oy sayılmadı.',
    },
    duplicate_account: {
      title: 'Bu hesap zaten oy verdi',
      text: 'Hesabınızın ilk oyu sayıldı ve olduğu gibi kalır. Bu oy sayılmadı.',
    },
    duplicate_address: {
      title: 'Ağınızdan zaten oy verildi',
      text: 'Bu anket her ağdan bir oy alır, bu yüzden bu oy sayılmadı. Başkası verdiyse, başka bir ağdan, örneğin mobil veriyle oy verin.',
    },
    poll_closed: {
      title: 'Oylama bitti',
      text: 'Oyunuz bitişten sonra geldi ve sayılmadı.',
    },
    poll_not_open: {
      title: 'Oylama başlamadı',
      text: `Oyunuz başlamadan önce geldi ve sayılmadı. Oylama başlayınca “Oy ver”e basın. ${KEPT}`,
    },
    proof_used: {
      title: 'Bu denetim zaten kullanıldı',
      text: `Bu deneme sayılmadı. Yeni bir denetim sürüyor: yeniden “Oy ver”e basın. ${KEPT}`,
    },
    no_answer: {
      title: 'Önce bir yanıt seçin',
      text: 'Henüz bir şey sayılmadı. Seçip “Oy ver”e basın.',
    },
    too_many_answers: {
      title: 'Yalnız bir yanıt seçin',
      text: 'Bu anket kişi başına bir yanıt alır. Henüz bir şey sayılmadı. Birini seçip “Oy ver”e basın.',
    },
    unknown_answer: {
      title: 'Bu yanıt bu ankette yok',
      text: 'Henüz bir şey sayılmadı. Aşağıdaki yanıtlardan birini seçip “Oy ver”e basın.',
    },
    name_missing: {
      title: 'Adınız eksik',
      text: `Bu anket ad ister. Henüz bir şey sayılmadı: adınızı yazıp “Oy ver”e basın. ${KEPT}`,
    },
    name_unusable: {
      title: 'Bu ad kullanılamaz',
      text: `Ad en çok 80 karakterdir, denetim karakteri olmaz. Henüz bir şey sayılmadı: değiştirip “Oy ver”e basın. ${KEPT}`,
    },
    cookie_missing: {
      title: 'Tarayıcınız çerezimizi göndermedi',
      text: `O olmadan oy verenleri ayıramayız, bu yüzden bir şey sayılmadı. Bu sitede çerezlere izin verip “Oy ver”e basın. ${KEPT}`,
    },
    form_foreign: {
      title: 'Bu form başka bir ziyaretten',
      text: `Henüz bir şey sayılmadı. İşte yenisi: yeniden “Oy ver”e basın. ${KEPT}`,
    },
    vpn_refused: {
      title: 'Bu anket VPN üzerinden oy almaz',
      text: `Oyunuz sayılmadı. VPN'i kapatıp yeniden “Oy ver”e basın. ${KEPT}`,
    },
    signed_out: {
      title: 'Oy vermek için oturum açın',
      text: 'Oyunuz henüz sayılmadı. Oturum açın, seçin ve “Oy ver”e basın.',
    },
    sign_in_missing: {
      title: 'Burada oturum açma kurulu değil',
      text: 'Burada yalnız oturum açanlar oy verir ve bu sitede henüz oturum açılamıyor. Oyunuz sayılmadı. Bunu yalnız siteyi işleten değiştirebilir.',
    },
    check_missing: {
      title: 'İnsan olduğunuz denetlenemedi',
      text: `JavaScript gerekir ve bu deneme sayılmadı. Bitmesini bekleyip yeniden “Oy ver”e basın. ${KEPT}`,
    },
    check_expired: {
      title: 'Bu sayfa uzun süre açık kaldı',
      text: `İnsan olduğunuza dair denetimin süresi doldu. Yeniden “Oy ver”e basın; iki kez sayılmaz. ${KEPT}`,
    },
    check_failed: {
      title: 'İnsan olduğunuza dair denetim başarısız oldu',
      text: `Bu deneme sayılmadı. Yeni bir denetim sürüyor: yeniden “Oy ver”e basın. ${KEPT}`,
    },
    check_unreachable: {
      title: 'İnsan olduğunuza dair denetime ulaşılamıyor',
      text: `Bu deneme sayılmadı. Biraz bekleyip yeniden “Oy ver”e basın; iki kez sayılmaz. ${KEPT}`,
    },
  },
};
