/** The script for every public page. The pages are readable without it. */

import { enhancePage } from '../built-pages/enhance-page.ts'
import { registerShareWorker } from '../uploads/kept/register-share-worker.ts'
import { enableFeedbackForm } from './feedback-form/enable-feedback-form.ts'
import { enableDropZone } from './landing/enable-drop-zone.ts'

enhancePage()
registerShareWorker()
enableDropZone()
enableFeedbackForm()

// A reload or a copied address must not say it again. The shown note stays the target.
addEventListener('load', () => {
  if (document.querySelector('.deleted-account:target')) history.replaceState(null, '', '/')
})
