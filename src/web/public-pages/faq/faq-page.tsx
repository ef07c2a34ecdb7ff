import { ChevronDown } from 'lucide-react'
import { BackHome } from '../back-home.tsx'
import { NotSetUp, PrivacyAddress, SupportAddress } from '../contacts.tsx'
import { When } from '../when.tsx'
import type { FaqCategory } from './faq-category.ts'
import { faqAboutProduct } from './faq-product.tsx'
import { faqAboutSharing } from './faq-sharing.tsx'

const categories: readonly FaqCategory[] = [...faqAboutSharing, ...faqAboutProduct]

function fragment(title: string) {
  return title.toLowerCase().replaceAll(/[^a-z]+/g, '-')
}

/**
 * The FAQ (spec §2): six categories, with one answer open at a time. All questions have the same
 * `name`, so the browser closes the open one when another opens. This works without scripts.
 */
export function FaqPage() {
  return (
    <div className="article">
      <header>
        <BackHome />
        <h1>Frequently asked questions</h1>
      </header>
      <nav className="contents" aria-label="Categories">
        <ul>
          {categories.map(({ title }) => (
            <li key={title}>
              <a href={`#${fragment(title)}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="text">
        {categories.map((category) => (
          <Category key={category.title} {...category} />
        ))}
        <section className="card questions" aria-labelledby="still">
          <h2 id="still">Still have questions?</h2>
          <dl>
            <div>
              <dt>General support</dt>
              <dd>
                <SupportAddress />
              </dd>
            </div>
            <div>
              <dt>Privacy</dt>
              <dd>
                <PrivacyAddress />
              </dd>
            </div>
          </dl>
          <When is="supportForm">
            <p className="small muted">
              <NotSetUp />
            </p>
          </When>
        </section>
      </div>
    </div>
  )
}

function Category({ title, questions }: FaqCategory) {
  const id = fragment(title)
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {questions.map(({ id, question, answer }) => (
        <details key={id} name="faq">
          <summary>
            <h3>{question}</h3>
            <ChevronDown size={18} strokeWidth={1.8} aria-hidden="true" />
          </summary>
          {/* A link to this id opens the answer, because browsers open a `details` element to
              scroll into it. */}
          <div id={id} className="answer">
            {answer}
          </div>
        </details>
      ))}
    </section>
  )
}
