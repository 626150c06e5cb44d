import { parameters } from '../../src/picture/parameters.ts';
import type { DrawingStyle } from '../../src/picture/styles.ts';

/** Everything that an overlay may have to draw: each style on each ground, at each moment, with each kind of text. */

export const screens = {
  '1080p': { width: 1920, height: 1080 },
  '720p': { width: 1280, height: 720 },
  '400': { width: 400, height: 900 },
  '225': { width: 400, height: 225 },
} as const;

export type ScreenName = keyof typeof screens;

/** Short and long texts, right-to-left ones, and a hundred answers. */
const casts = ['short', 'long', 'rtl', 'many'] as const;

/** Texts in scripts and languages that are tall or have long words, and their language. */
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
} as const;

export type Script = keyof typeof scripts;

/** A plate and an outline: other themes differ in colours only. */
const grounds = ['light', 'outline'];

/** Each cast at each moment. */
export function castQueries(style: DrawingStyle): string[] {
  return casts.flatMap(cast =>
    parameters.moment.choices.flatMap(moment =>
      grounds.map(theme => new URLSearchParams({ style, theme, moment, cast, away: '1' }).toString()),
    ),
  );
}

const looks = ['moment=voting', 'moment=voting&qr=right', 'moment=closed', 'moment=hidden&qr=left'];

/** Each script while people vote, with a QR code, and with a winner. */
export function scriptQueries(style: DrawingStyle): string[] {
  return (Object.keys(scripts) as Script[]).flatMap(script =>
    looks.flatMap(look =>
      grounds.map(
        theme => `style=${style}&theme=${theme}&script=${script}&lang=${scripts[script].lang}&${look}`,
      ),
    ),
  );
}
