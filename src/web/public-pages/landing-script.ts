import { enhancePage } from './enhance.ts'
import { offerDrop } from './landing/offer-drop.ts'

enhancePage()
offerDrop()
