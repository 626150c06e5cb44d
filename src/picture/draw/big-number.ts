import type { PictureRow } from '../picture.ts';
import { rowType } from '../row-look.ts';
import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import { hasFaces, hasFigures, isStepped, NOTHING, type Style, type Task } from './body.ts';
import { boxAt, type Part } from './part.ts';
import { fitNames, RowKit, TAG } from './row-kit.ts';

const NUMBER = { most: 230, full: 360, least: 72 };
const LABEL = { size: 40, full: 64, lines: 2 };
const TRACK = { air: 18, height: 22, below: 18 };
const aroundTrack = TRACK.air + TRACK.height + TRACK.below;
const COUNT = { size: 32, weight: 500 };
const GAP = 20;
const FACE = { most: 210, full: 400, narrow: 560 };

/** The figure of one answer, as large as possible: the leader, or the answer that the settings name. */
export const bigNumber: Style = {
  answerSize: LABEL.size,
  preferredWidth: () => 810,
  heights(answers) {
    return {
      least: NUMBER.least + aroundTrack + SMALLEST_TEXT * lineHeightOf(answers),
      preferred: NUMBER.most + belowNumber(answers),
    };
  },
  fit: () => Number.POSITIVE_INFINITY,
  layOut(task) {
    const { type, settings, wording, picture, room } = task;
    const row = chooseRow(task);
    if (!row) return NOTHING;
    const isKnown = hasFigures(row, picture);
    const inPercent = settings.values !== 'count';
    const value = inPercent ? row.percent : row.votes;
    const format = (shown: number) =>
      inPercent ? wording.percent(shown, row.decimals) : wording.count(shown, false);
    const weight = rowType.best.weight;
    const [largest, label, largestFace] = room.isFull
      ? [NUMBER.full, LABEL.full, FACE.full]
      : [NUMBER.most, LABEL.size, FACE.most];
    const most = Math.max(NUMBER.least, room.height - belowNumber([row.answer], label));
    const kit = new RowKit(row, 0, task);
    const badge = kit.badgeWidth;
    const tag = type.width(wording.phrases.winner, rowType.mark) + 2 * TAG.inset;
    const badgeRoom = Math.max(badge, settings.winner ? tag : 0);
    // The word may have to stand beside the figure.
    const face = hasFaces(picture) && room.width >= FACE.narrow ? Math.min(largestFace, most) : 0;
    const figureRoom = room.width - Math.max(badgeRoom > 0 ? badgeRoom + GAP : 0, face > 0 ? face + GAP : 0);
    const size = Math.min(
      largest,
      most,
      figureRoom / type.figureWidth(format(Math.max(value, 88)), { size: 1, weight }),
    );
    const isNamed = row.leads || isStepped(picture) || row.place + 1 === settings.answer;
    const shared = row.wins && picture.tie ? picture.rows.filter(({ wins }) => wins) : [row];
    const words = isNamed ? wording.list(shared.map(({ answer }) => answer)) : '';
    // The name stands on the panel, not on a plate.
    const named = new RowKit({ ...row, answer: words, wins: false, lost: false }, 0, task);
    const isShort = room.isCompact && isLongCount(picture.mostVotes);
    const formatCount = (votes: number) => wording.count(votes, isShort);
    const hasCount = settings.values === 'both' && (isNamed || !isKnown);
    const countWidth = hasCount ? type.figureWidth(formatCount(row.votes), COUNT) + GAP : 0;
    const em = lineHeightOf([words]);
    const labelRoom = {
      largest: label,
      floor: SMALLEST_TEXT,
      width: () => room.width - countWidth,
      lines: (tried: number) =>
        Math.min(LABEL.lines, Math.floor((room.height - size - aroundTrack) / (tried * em))),
    };
    const names = fitNames([named.row], task, labelRoom);
    const lines = names.text.lines[0]!.length;
    const isBeside = badge > 0 && lines === 1 && names.widths[0]! + GAP + badge <= room.width - countWidth;
    // Whichever answer leads, with its mark or without, the height is the same.
    const all = fitNames(picture.rows, task, labelRoom);
    const hasTagRoom = all.widths.every(width => width + GAP + tag <= room.width - countWidth);
    const mostLines = Math.max(lines, ...all.text.lines.map(shown => shown.length));
    const isLow = hasTagRoom && mostLines === 1 && (badge === 0 || isBeside);
    const trackTop = size + TRACK.air;
    const labelTop = trackTop + TRACK.height + TRACK.below;
    const parts = (top: number): Part[] => {
      const font = { size, weight };
      const { text: color, soft } = task.theme;
      const from = { alpha: 0, value: 0 };
      const y = top + labelTop;
      const labelBox = boxAt(0, y, room.width - countWidth, names.text.lineHeight);
      const badgeBelow = y + lines * names.text.lineHeight + TAG.height / 2 + 6;
      const number = {
        at: boxAt(0, top, figureRoom, size, { value }),
        shape: { kind: 'figure', font, color, align: 'start', format },
      } as const;
      const count = {
        at: { ...labelBox, x: labelBox.width, width: countWidth, value: row.votes },
        shape: { kind: 'figure', font: COUNT, color: soft, align: 'end', format: formatCount },
      } as const;
      const bar = named.bar(boxAt(0, top + trackTop, room.width, TRACK.height), row.share);
      if (!isKnown) return bar;
      return [
        ...(face > 0
          ? [named.face(boxAt(room.width - face, top + Math.max(0, size - face) / 2, face, face))]
          : []),
        named.part('number', number, { from }),
        ...bar,
        named.name(names, labelBox),
        ...(isBeside
          ? kit.badgeAt(names.widths[0]! + GAP, y + names.text.lineHeight / 2, 'panel')
          : kit.badgeAt(0, badgeBelow, 'panel')),
        ...(hasCount ? [named.part('count', count, { from })] : []),
      ];
    };
    return {
      height: labelTop + mostLines * names.text.lineHeight + (isLow ? 0 : TAG.height + 10),
      ...names.body,
      isWhole: size === largest && names.body.isWhole,
      parts,
    };
  },
};

function belowNumber(answers: readonly string[], size = LABEL.size): number {
  return aroundTrack + LABEL.lines * size * lineHeightOf(answers);
}

/** Returns the answer asked for, else the leader of those with figures, which is the first in the poll of several. */
function chooseRow({ picture, settings }: Task): PictureRow | undefined {
  const asked = picture.rows.find(({ place: at }) => at + 1 === settings.answer);
  const known = picture.rows.filter(row => hasFigures(row, picture));
  return (
    asked ??
    known.sort((one, other) => other.votes - one.votes || one.place - other.place)[0] ??
    picture.rows[0]
  );
}
