import { prepareCopyFields } from '../../page/browser/copy-field.ts';
import { focusNotice, localizeTimes } from '../../page/browser/dom.ts';
import { prepareTimeFields } from '../../page/browser/time-field.ts';
import { prepareAnswerRows } from './answer-rows.ts';

localizeTimes(document);
focusNotice();
prepareAnswerRows(document);
prepareTimeFields(document);
prepareCopyFields(document);
