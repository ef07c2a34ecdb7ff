/** Script of every public page. The pages can be read without it. */

import { enhancePage } from '../built-pages/enhance-page.ts'
import { registerShareWorker } from '../uploads/kept/register-share-worker.ts'
import { offerFeedbackForm } from './feedback-form/offer-feedback-form.ts'
import { offerDrop } from './landing/offer-drop.ts'

enhancePage()
registerShareWorker()
offerDrop()
offerFeedbackForm()
