/** The script of every public page. People can read the page without it. */

import { offerTheme } from '../built-pages/offer-theme.ts'
import { offerUploads } from '../built-pages/offer-uploads.ts'
import { offerShareTarget } from '../uploads/kept/offer-share-target.ts'
import { offerFeedbackForm } from './feedback-form/offer-feedback-form.ts'
import { offerDrop } from './landing/offer-drop.ts'

offerTheme()
offerUploads()
offerShareTarget()
offerDrop()
offerFeedbackForm()
