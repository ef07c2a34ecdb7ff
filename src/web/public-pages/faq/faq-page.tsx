import { When } from '../../built-pages/template.tsx'
import { Article } from '../article.tsx'
import { EmailLink, NoSupportEmail } from '../contacts.tsx'
import { values } from '../values.tsx'
import { productFaqSections } from './about-product.tsx'
import { sharingFaqSections } from './about-sharing.tsx'

/** The FAQ (spec §2): six categories, with at most one answer open. */
export function FaqPage() {
  return (
    <Article title="Frequently asked questions" end={<StillHaveQuestions />}>
      {[...sharingFaqSections, ...productFaqSections]}
    </Article>
  )
}

function StillHaveQuestions() {
  return (
    <section className="card questions" aria-labelledby="still">
      <h2 id="still">Still have questions?</h2>
      <dl>
        <div>
          <dt>General support</dt>
          <dd>
            <EmailLink address={values.supportEmail} />
          </dd>
        </div>
        <div>
          <dt>Privacy</dt>
          <dd>
            <EmailLink address={values.privacyEmail} />
          </dd>
        </div>
      </dl>
      <When is="supportForm">
        <p className="small muted">
          <NoSupportEmail />
        </p>
      </When>
    </section>
  )
}
