import { focusNotice, localizeTimes } from './page-manners.ts';

localizeTimes(document);
focusNotice();
