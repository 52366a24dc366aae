/** Words that say nothing of what a text is about: of English, and the short ones of other frequent languages. Folded, as index terms are. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about after again against ain all also am amp an and any are aren as at away back be because been before being below between both but by
  came can cannot come could couldn did didn do does doesn doing don done down during each else even ever every few for from further gave get
  gets getting give go goes going gone gonna got had hadn has hasn have haven having he her here hers herself him himself his how however i if
  im in into is isn it its itself ive just keep know let like ll lot made make makes many may maybe me might mine more most much must my myself
  need never no nor not now of off oh ok on once one only onto or other others our ours ourselves out over own per put quite rather re really
  rt said same saw say says see seem seen shall she should shouldn since so some still such take than that the their theirs them themselves
  then there these they thing things think this those though through thus till to too under until up upon us use used ve very via want was wasn
  way we well went were weren what when where whether which while who whom whose why will with within without won would wouldn yeah yes yet you
  your yours yourself yourselves
  al ao au aux avec bei como da das de dei del della dem den der des die di do dos du e ein eine el elle em en er es est et fur il im in ist ja
  je la las le les lo los mais mas mi mit na nao ne nicht no nos o os ou para pas per pero por pour que qui se ses si sie su sur te tu um uma
  un una und une uno von vous y zu`.split(/\s+/),
)
