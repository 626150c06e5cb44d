import '../../../pages/page/browser/page.entry.ts';
import { create, find, runEach } from '../../../pages/page/browser/dom.ts';
import { showDevicePolls } from './device-list.ts';

runEach(showPicture, showDevicePolls);

/** The overlay of the rehearsal, which has a connection, is there only while it is in view. */
function showPicture(): void {
  const box = find(document, 'picture');
  if (!box) return;
  const { picture = '', label = '' } = box.dataset;
  const frame = create('iframe', { src: picture, tabindex: '-1', title: label });
  let isInView = false;
  const update = () => {
    const isWanted = isInView && document.visibilityState === 'visible';
    if (isWanted === frame.isConnected) return;
    if (isWanted) box.append(frame);
    else frame.remove();
  };
  new IntersectionObserver(([seen]) => {
    isInView = seen?.isIntersecting ?? false;
    update();
  }).observe(box);
  document.addEventListener('visibilitychange', update);
}
