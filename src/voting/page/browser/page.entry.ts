import { focusNotice, localizeTimes } from './dom.ts';

localizeTimes(document);
focusNotice();
