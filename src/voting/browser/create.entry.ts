import { prepareAnswerRows } from './answer-rows.ts';
import { prepareCopyFields } from './copy-field.ts';
import { prepareTimeFields } from './moment-field.ts';
import { focusNotice, localizeTimes } from './page-manners.ts';

localizeTimes(document);
focusNotice();
prepareAnswerRows(document);
prepareTimeFields(document);
prepareCopyFields(document);
