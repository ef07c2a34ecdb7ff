import { Flag } from 'lucide-react'
import { ifEnd, ifStart, placeholder } from '../../shared/page-placeholders.ts'
import { longestAddress } from '../../shared/rules/accounts/mail-address.ts'
import {
  handledReportDays,
  longestWords,
  reportChoiceNames,
  reportChoices,
} from '../../shared/rules/links/report.ts'
import type { Built } from '../built-pages/built.ts'
import { HomeLink, LinkPage, motto } from './page-frame.tsx'

/**
 * The page with the form that reports a file. It works without scripts: the browser sends the form
 * to the page's own address, and the server answers with the same page. It always shows our brand
 * and not the sender's, because the service receives the report.
 */
export function ReportPage(props: { built: Built }) {
  const back = `/s/${placeholder('code')}`
  return (
    <LinkPage
      built={props.built}
      title="Report this file · Mayfly"
      tellsAddress
      sender={<HomeLink />}
      footer={motto}
    >
      <section className="card">
        {ifStart('form')}
        <h1>Report this file</h1>
        <p className="lead">
          <b dir="auto">{placeholder('name')}</b>
          <span className="muted">
            {' '}
            The operator of this service reviews it. The sender does not learn who you are.
          </span>
        </p>
        {ifStart('fault')}
        <p className="fault" role="alert">
          {placeholder('fault')}
        </p>
        {ifEnd('fault')}
        <form method="post">
          <fieldset>
            <legend>What is wrong with it?</legend>
            {reportChoiceNames.map((choice) => (
              <label key={choice} className="choice">
                {/* The server keeps `checked` only at the choice that was made: see render.tsx. */}
                <input type="radio" name="choice" value={choice} required defaultChecked />
                {reportChoices[choice]}
              </label>
            ))}
          </fieldset>
          <label htmlFor="words">In your words</label>
          <textarea
            id="words"
            name="words"
            rows={4}
            maxLength={longestWords}
            required
            aria-describedby="words-hint"
            defaultValue={placeholder('words')}
          />
          <p className="hint" id="words-hint">
            What is it, and how do you know?
          </p>
          <label htmlFor="email">Email</label>
          <input
            id="email"
            name="email"
            type="email"
            autoComplete="email"
            maxLength={longestAddress}
            aria-describedby="email-hint"
            defaultValue={placeholder('email')}
          />
          <p className="hint" id="email-hint">
            Only if you want a reply. It is deleted {handledReportDays} days after the report was
            dealt with.
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
        {ifEnd('form')}
        {ifStart('sent')}
        <h1>Thank you</h1>
        <p className="lead muted">
          The report has been sent to the operator of this service. There is nothing else to do.
        </p>
        {ifEnd('sent')}
        <a className="button quiet" href={back}>
          Back to the file
        </a>
      </section>
    </LinkPage>
  )
}
