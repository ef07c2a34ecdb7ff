/** The script of every public page. People can read the page without it. */

import { offerTheme } from '../built-pages/offer-theme.ts'
import { offerUploads } from '../built-pages/offer-uploads.ts'
import { registerShareWorker } from '../uploads/kept/register-share-worker.ts'
import { offerFeedbackForm } from './feedback-form/offer-feedback-form.ts'
import { offerDrop } from './landing/offer-drop.ts'

offerTheme()
offerUploads()
registerShareWorker()
offerDrop()
offerFeedbackForm()
