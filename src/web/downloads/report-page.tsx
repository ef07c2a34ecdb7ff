import { Flag } from 'lucide-react'
import { placeholder } from '../../shared/placeholders.ts'
import { maxEmailLength } from '../../shared/rules/accounts/email-limits.ts'
import {
  closedReportDays,
  maxExplanationLength,
  reportChoiceNames,
  reportChoices,
} from '../../shared/rules/links/report.ts'
import { type PageAssets, When } from '../built-pages/template.tsx'
import { HomeLink, LinkPage, tagline } from './page-frame.tsx'

/**
 * The page for reporting a file. It works without scripts: the form posts to the page's own URL.
 * Shows our brand instead of the owner's, because the report goes to the operator.
 */
export function ReportPage(props: { assets: PageAssets }) {
  const linkPath = `/s/${placeholder('code')}`
  return (
    <LinkPage
      assets={props.assets}
      title="Report this file · Mayfly"
      sender={<HomeLink />}
      footer={tagline}
    >
      <section className="card">
        <When is="form">
          <h1>Report this file</h1>
          <p className="lead">
            <b dir="auto">{placeholder('name')}</b>
            <span className="muted">
              {' '}
              The operator of this server reviews your report. The sender does not learn who you
              are.
            </span>
          </p>
          <When is="error">
            <p className="error" role="alert">
              {placeholder('error')}
            </p>
          </When>
          <form method="post">
            <fieldset>
              <legend>What is wrong with it?</legend>
              {reportChoiceNames.map((choice) => (
                <label key={choice} className="choice">
                  {/* The server keeps `checked` only for the selected choice. */}
                  <input type="radio" name="choice" value={choice} required defaultChecked />
                  {reportChoices[choice]}
                </label>
              ))}
            </fieldset>
            <label htmlFor="words">Details</label>
            <textarea
              id="words"
              name="words"
              rows={4}
              maxLength={maxExplanationLength}
              required
              aria-describedby="words-hint"
              defaultValue={placeholder('words')}
            />
            <p className="hint" id="words-hint">
              What is wrong with the file, and how do you know?
            </p>
            <label htmlFor="email">Email</label>
            <input
              id="email"
              name="email"
              type="email"
              autoComplete="email"
              maxLength={maxEmailLength}
              aria-describedby="email-hint"
              defaultValue={placeholder('email')}
            />
            <p className="hint" id="email-hint">
              Only if you want a reply. It is deleted {closedReportDays} days after the report is
              closed.
            </p>
            <p className="unseen">
              <label htmlFor="website">Leave this empty</label>
              <input id="website" name="website" tabIndex={-1} autoComplete="off" />
            </p>
            <button className="button" type="submit">
              <Flag size={18} strokeWidth={2} aria-hidden="true" />
              Send report
            </button>
          </form>
        </When>
        <When is="sent">
          <h1>Thank you</h1>
          <p className="lead muted">Your report has been sent to the operator of this server.</p>
        </When>
        <a className="button quiet" href={linkPath}>
          Back to the file
        </a>
      </section>
    </LinkPage>
  )
}
