/**
 * Texts of polls in scripts and languages that are tall, have long words or are written from right
 * to left, and their language.
 */

export const scripts = {
  arabic: {
    lang: 'ar',
    title: 'أَيُّ أُغْنِيَّةٍ تُخْتَتَمُ بِهَا ٱلْحَفْلَةُ؟ إِنَّ ٱلْجُمْهُورَ هُوَ ٱلَّذِي يُقَرِّرُ ذَٰلِكَ',
    answers: [
      'إِضَاءَةُ ٱلشَّمَالِ',
      'ٱلسَّاعَةُ ٱلذَّهَبِيَّةُ',
      'قِطَارُ مُنْتَصَفِ ٱللَّيْلِ إِلَى ٱلْإِسْكَنْدَرِيَّةِ',
      'حَرَكَةٌ بَطِيئَةٌ جِدًّا',
      'لَا شَيْءَ',
    ],
  },
  thai: {
    lang: 'th',
    title: 'คุณอยากให้เพลงใดปิดท้ายการแสดงในค่ำคืนนี้ ผู้ชมทุกท่านที่อยู่หน้าจอเป็นผู้ตัดสินใจ',
    answers: ['น้ำตื้นที่ญี่ปุ่น', 'เครื่องบินกระดาษ', 'ชั่วโมงทองที่ปู่ย่าเฝ้าชื่นชมอยู่ริมแม่น้ำ', 'ปฏิรูปที่ดิน', 'ไม่มี'],
  },
  vietnamese: {
    lang: 'vi',
    title: 'BÀI HÁT NÀO NÊN KHÉP LẠI CHƯƠNG TRÌNH ĐỂ KHÁN GIẢ NHỚ MÃI NHỮNG KỶ NIỆM ẤY?',
    answers: [
      'Ề Ễ Ẫ Ẵ Ợ Ự',
      'NHỮNG CHIẾC MÁY BAY GIẤY',
      'Chuyến tàu nửa đêm chở đầy kỷ niệm tuổi thơ',
      'Giờ vàng',
      'Không',
    ],
  },
  german: {
    lang: 'de',
    title:
      'Welche Rindfleischetikettierungsüberwachungsaufgabe soll die Donaudampfschifffahrtsgesellschaft übernehmen?',
    answers: [
      'Kraftfahrzeughaftpflichtversicherung',
      'Geschwindigkeitsbegrenzung auf Autobahnen',
      'Ja',
      'Donaudampfschifffahrtsgesellschaftskapitän',
      'Nahrungsmittelunverträglichkeit',
    ],
  },
  finnish: {
    lang: 'fi',
    title: 'Mikä lentokonesuihkuturbiinimoottoriapumekaanikkoaliupseerioppilas voittaa tänä iltana?',
    answers: [
      'Epäjärjestelmällistyttämättömyydellänsä',
      'Kolmivaihekilowattituntimittari',
      'Ei',
      'Hyppytyynytyydytys',
      'Elämäntapaintiaani',
    ],
  },
  japanese: {
    lang: 'ja',
    title: '番組の最後を飾る曲を、会場とテレビの前の皆さんの投票で決めましょう。どの曲がいちばんいいですか？',
    answers: ['真夜中の列車', 'オーロラの下で待ち合わせましょう', '紙飛行機', 'スローモーション', 'なし'],
  },
  english: {
    lang: 'en',
    title:
      'Which of these songs should close tonight’s show, now that every act has played and the audience at home has the last word?',
    answers: [
      'Northern Lights over the harbour of a very small town',
      'Paper Planes',
      'Golden Hour (live from the old opera house, with the whole orchestra)',
      'Midnight Train',
      'No',
    ],
  },
  hebrew: {
    lang: 'he',
    title: 'איזה שיר צריך לסגור את המופע הערב, אחרי שכל הלהקות ניגנו והקהל בבית מחליט?',
    answers: ['שעת הזהב', 'רכבת חצות אל העיר הגדולה שליד הים', 'מטוסי נייר', 'לאט', 'אף אחד 2 Night'],
  },
  hindi: {
    lang: 'hi',
    title: 'आज रात के कार्यक्रम का समापन किस गीत से होना चाहिए, यह घर बैठे दर्शक तय करेंगे?',
    answers: ['सुनहरा समय', 'आधी रात की रेलगाड़ी जो पहाड़ों के पार जाती है', 'काग़ज़ के जहाज़', 'धीमी गति', 'कोई नहीं'],
  },
  emoji: {
    lang: 'en',
    title: `${'👩‍👩‍👧‍👦'.repeat(20)} Z̸̧̛̤͓̈́a̷l̵g̶o 🏳️‍🌈 é?`,
    answers: ['🎸🎸🎸🎸🎸🎸🎸🎸🎸🎸🎸🎸', 'Z̸̧̛̤͓̈́a̷l̵g̶o', '🏳️‍🌈 é', '👩‍👩‍👧‍👦 family', '—'],
  },
} as const;

export type Script = keyof typeof scripts;
