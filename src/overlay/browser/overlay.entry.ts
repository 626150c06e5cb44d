import { readParameters } from '../parameter/read-parameters.ts';
import { Rehearsal } from '../picture/rehearsal.ts';
import { Stage } from './drawing/stage.ts';
import { adoptStyleSheet } from './drawing/style-sheet.ts';

const { settings } = readParameters(new URLSearchParams(location.search));
adoptStyleSheet(document);
const stage = new Stage(document.body, settings, navigator.language);
const r = new Rehearsal(settings, Date.now(), Math.random);
const draw = () => stage.show({ known: r.read(Date.now()), away: settings.moment === 'away' });
draw();
setInterval(() => {
  r.step();
  draw();
}, 600);
