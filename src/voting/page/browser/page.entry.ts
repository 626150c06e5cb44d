import { focusNotice, localizeTimes, runEach } from './dom.ts';

runEach(() => localizeTimes(document), focusNotice);
