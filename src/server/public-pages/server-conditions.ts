import type { ServerCondition } from '../../shared/placeholders.ts'
import type { Config } from '../config/config.ts'
import { sendsMail } from '../email/create-mailer.ts'
import { storeOfNewFiles } from '../storage/store-of-new-files.ts'

/**
 * Returns the conditions that are true with these settings. They choose texts on the public pages.
 */
export function conditionsOf(
  config: Pick<
    Config,
    | 'appUrl'
    | 's3'
    | 'smtpUrl'
    | 'supportReceivesEmail'
    | 'privacyReceivesEmail'
    | 'signup'
    | 'google'
    | 'requireEmailVerification'
  >,
): ServerCondition[] {
  const { appUrl, signup, google, requireEmailVerification } = config
  return [
    appUrl.protocol === 'https:' ? 'https' : 'http',
    storeOfNewFiles(config),
    sendsMail(config) ? 'smtp' : 'outbox',
    config.supportReceivesEmail ? 'supportMail' : 'supportForm',
    config.privacyReceivesEmail ? 'privacyMail' : 'privacyForm',
    signup === 'open' ? 'signupOpen' : signup === 'closed' ? 'signupClosed' : 'signupDomains',
    ...(google ? (['google'] as const) : []),
    ...(requireEmailVerification ? (['verification'] as const) : []),
  ]
}
