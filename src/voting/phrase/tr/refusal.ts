import type { RefusalPhrases } from '../en/refusal.ts';

export const refusal: RefusalPhrases = {
  toStart: 'Ana sayfaya',
  toPoll: 'Ankete dön',
  reasons: {
    cross_site: {
      title: 'Bu başka bir siteden geldi',
      text: 'Hiçbir şey yapılmadı. Sayfanın kendisini açıp orada deneyin.',
    },
    page_not_found: {
      title: 'Burada bir şey yok',
      text: 'Bağlantı kesilmiş veya yanlış yazılmış olabilir. Denetleyip yeniden açın.',
    },
    poll_not_found: {
      title: 'Böyle bir anket yok',
      text: 'Silinmiş olabilir ya da bağlantı kesilmiş veya yanlış yazılmıştır. Hiçbir şey sayılmadı.',
    },
    rehearsal: {
      title: 'Burada kimse oy vermez',
      text: 'Prova anketinin oyları yapaydır. Programları ve katmanları denemek içindir.',
    },
    not_managing: {
      title: 'Bu sayfa anketi oluşturan içindir',
      text: 'Hiçbir şey değişmedi. Oluştururken gösterilen yönetim bağlantısını açın.',
    },
    too_large: {
      title: 'Bu bir seferde çok fazlaydı',
      text: 'Hiçbir şey yapılmadı. Metni kısaltıp yeniden gönderin.',
    },
    bad_request: {
      title: 'Bu okunamadı',
      text: 'Hiçbir şey yapılmadı. Geri gidin, sayfayı yenileyin ve yeniden deneyin.',
    },
    rate_limited: {
      title: 'Ağınızdan çok fazla istek geldi',
      text: 'Bununla bir şey yapılmadı. Biraz bekleyip yeniden deneyin; sayılan sayılmış kalır.',
    },
    engine_unavailable: {
      title: 'Şu an oylara ulaşılamıyor',
      text: 'Hiçbir şey kaybolmadı. Birazdan yeniden deneyin.',
    },
    sign_in_unreachable: {
      title: 'Şu an oturum açılamıyor',
      text: 'Hiçbir şey sayılmadı. Birazdan yeniden deneyin.',
    },
    stopping: {
      title: 'Bu sunucu yeniden başlıyor',
      text: 'Hiçbir şey kaybolmadı. Birazdan yeniden deneyin.',
    },
    failed: {
      title: 'Bizde bir şeyler ters gitti',
      text: 'Birazdan yeniden deneyin. Bir oy asla iki kez sayılmaz.',
    },
  },
  signInStopped: {
    title: 'Oturum açmadınız',
    text: 'Oturum açma durduruldu veya çok uzun sürdü. Hiçbir şey sayılmadı. Anketi açıp yeniden oturum açın.',
  },
  busy: {
    title: 'Sıradasınız',
    heading: 'Şu an burada çok kişi var',
    text: (time: string) =>
      `Sıradasınız ve hiçbir şey kaybolmadı. Bu sayfa yaklaşık ${time} sonra kendiliğinden açılır.`,
    quiet: 'Gönderilen oylar önce gelir. Sayfayı yeniden açmak hızlandırmaz.',
  },
};
