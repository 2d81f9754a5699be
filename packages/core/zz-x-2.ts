import { prepare } from "translogue/targets";
const show=(n:string,c:any,t:string,o:any={})=>{try{const r=prepare(c,t,o);console.log("##",n,t,"\n",JSON.stringify(r.value),"\n changes",r.changes.map((x:any)=>x.repair+" "+JSON.stringify(x.path)+" "+x.message).join("\n   "),"\n losses",JSON.stringify(r.losses.map((l:any)=>[l.code,l.path,l.message])),"\n issues",JSON.stringify(r.issues.map((l:any)=>[l.code??l.rule,l.path,l.message])))}catch(e){console.log("##",n,"THROWN",e)}};
const u=(t:string)=>({role:"user",parts:[{type:"text",text:t}]});
const tool=(n:string,d="x")=>({name:n,description:d,input:{type:"object",properties:{}}});
const call={type:"tool-call",callId:"c1",name:"rm",input:{p:1}}, call2={type:"tool-call",callId:"c2",name:"rm",input:{p:2}};
const req={type:"approval-request",requestId:"r",callId:"c1"},no={type:"approval-response",requestId:"r",approved:false,reason:"Keep"};
for(const t of ["anthropic-messages","openai-chat","openai-responses","gemini","mistral","bedrock-converse","cohere"]){
show("denied",{tools:[tool("rm")],messages:[u("a"),{role:"assistant",parts:[call,req]},{role:"user",parts:[no,{type:"text",text:"and now?"}]}]},t);
}
for(const t of ["anthropic-messages","openai-chat"]){
show("denied tool msg with c2 result",{tools:[tool("rm")],messages:[u("a"),{role:"assistant",parts:[call,req,call2]},{role:"tool",parts:[{type:"tool-result",callId:"c2",output:[{type:"text",text:"2"}]},no]},u("go")]},t);
show("denied calls drop",{tools:[tool("rm")],messages:[u("a"),{role:"assistant",parts:[call,req]},{role:"tool",parts:[no]},u("go")]},t,{calls:"drop"});
show("denied calls error",{tools:[tool("rm")],messages:[u("a"),{role:"assistant",parts:[call,req]},{role:"tool",parts:[no]},u("go")]},t,{calls:"error"});
show("call inside req",{tools:[tool("rm")],messages:[u("a"),{role:"assistant",parts:[{...req,call}]},{role:"tool",parts:[no]},u("go")]},t);
show("denied then result exists later",{tools:[tool("rm")],messages:[u("a"),{role:"assistant",parts:[call,req]},{role:"tool",parts:[no]},{role:"assistant",parts:[{type:"text",text:"ok"}]},{role:"tool",parts:[{type:"tool-result",callId:"c1",output:[{type:"text",text:"ran!"}]}]}]},t);
show("denied then approved later",{tools:[tool("rm")],messages:[u("a"),{role:"assistant",parts:[call,req]},{role:"tool",parts:[no,{type:"approval-response",requestId:"r",approved:true}]},u("x")]},t);
show("two calls same requestId",{tools:[tool("rm")],messages:[u("a"),{role:"assistant",parts:[call,req,call2,{...req,callId:"c2"}]},{role:"tool",parts:[no]},u("x")]},t);
}
for(const t of ["anthropic-messages","openai-chat","openai-responses","gemini","mistral","bedrock-converse"]){
for(const tc of [{tool:"a.b"},{name:"a.b"},{type:"tool",name:"a.b"}]) ;
show("dups choice",{tools:[tool("a.b","one"),tool("a.b","two"),tool("a_b","three"),tool("a:b","four")],settings:{toolChoice:{tool:"a.b"}},messages:[u("x"),{role:"assistant",parts:[{type:"tool-call",callId:"q",name:"a.b",input:{}}]},{role:"tool",parts:[{type:"tool-result",callId:"q",name:"a.b",output:[{type:"text",text:"r"}]}]}]},t);
show("choice of a missing tool",{tools:[tool("x")],settings:{toolChoice:{tool:"gone"}},messages:[u("x")]},t);
show("choice w/o tools",{settings:{toolChoice:"required"},messages:[u("x")]},t);
}
