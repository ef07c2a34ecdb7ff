import { useEffect } from 'react'
import { useSearchParams } from 'wouter'
import { readSignInFault } from '../../../shared/rules/accounts/sign-in-fault.ts'
import { toast } from '../../ui/toast.tsx'
import { signInFaultTexts } from '../sign-in-fault-texts.ts'

/**
 * Shows whether adding Google succeeded, after the browser has come back from Google. Then removes
 * the result from the URL, because a reload would show it again.
 */
export function useGoogleOutcome(): void {
  const [search, setSearch] = useSearchParams()
  useEffect(() => {
    const fault = readSignInFault(search.get('fault'))
    const isLinked = search.get('linked') === 'google'
    if (fault) {
      toast({
        title: 'Google not added',
        description: signInFaultTexts[fault],
        tone: 'destructive',
      })
    } else if (isLinked) toast({ title: 'Google added' })
    if (!search.has('fault') && !search.has('linked')) return
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        after.delete('fault')
        after.delete('linked')
        return after
      },
      { replace: true },
    )
  }, [search, setSearch])
}
