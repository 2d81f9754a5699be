import { prepare, checkTarget } from "translogue/targets";
const show=(n:string,c:any,t:string,o:any={})=>{try{const r=prepare(c,t,o);console.log("##",n,t,"\n",JSON.stringify(r.value),"\n changes",r.changes.map((x:any)=>x.repair+" "+JSON.stringify(x.path)+" "+x.message).join("\n   "),"\n losses",JSON.stringify(r.losses.map((l:any)=>[l.code,l.path,l.message])),"\n issues",JSON.stringify(r.issues.map((l:any)=>[l.code??l.rule,l.path,l.message])))}catch(e){console.log("##",n,"THROWN",e)}};
const u=(t:string)=>({role:"user",parts:[{type:"text",text:t}]});
const rs=(id:string,enc=true,maker="openai",extra:any={})=>({type:"reasoning",text:"t",summary:true,seal:{maker,...extra,values:{id,...(enc?{encrypted_content:"E"+id}:{})}}});
const fc=(n:string)=>({type:"tool-call",callId:"call_"+n,name:"search",input:{},seal:{maker:"openai",values:{id:"fc_"+n}}});
const res=(n:string)=>({role:"tool",parts:[{type:"tool-result",callId:"call_"+n,output:[{type:"text",text:"ok"}]}]});
const tools=[{name:"search",input:{type:"object",properties:{}}}];
for (const o of [{},]) {
show("foreign rs_1",{tools,messages:[u("a"),{role:"assistant",parts:[rs("rs_1",true,"anthropic"),fc("1")]},res("1"),{role:"assistant",parts:[rs("rs_2"),fc("2")]},res("2")]},"openai-responses");
show("same msg",{tools,messages:[u("a"),{role:"assistant",parts:[rs("rs_1",true,"azure"),fc("1"),rs("rs_2"),fc("2")]},res("1"),res("2")]},"openai-responses");
show("unsealed",{tools,messages:[u("a"),{role:"assistant",parts:[{type:"reasoning",text:"x"},fc("1"),rs("rs_2"),fc("2")]},res("1"),res("2")]},"openai-responses");
show("store false no enc",{tools,settings:{store:false},native:{"openai-responses":{store:false}},messages:[u("a"),{role:"assistant",parts:[rs("rs_1",false),fc("1"),rs("rs_2"),fc("2")]},res("1"),res("2")]},"openai-responses");
}
// compaction
const comp=(maker?:string,more:any={})=>({type:"compaction",...(maker?{seal:{maker,values:{id:"cmp_1",encrypted_content:"SECRET"}}}:{}),...more});
for (const replaces of [undefined,null,"m0"]) for (const text of [undefined,"sum"]) {
  const c:any=comp("openai",{...(replaces!==undefined?{replaces}:{}),...(text?{summary:text,text}:{})});
  show("compaction "+replaces+" "+text,{messages:[{id:"m0",parent:null,...u("secret plan A")},{id:"m1",parent:"m0",role:"assistant",parts:[{type:"text",text:"plan ok"}]},{id:"m2",parent:"m1",role:"assistant",parts:[c]},{id:"m3",parent:"m2",...u("go on")}],head:"m3"},"anthropic-messages");
}
